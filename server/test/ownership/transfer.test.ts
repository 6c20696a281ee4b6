import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { maxRows } from "../../src/db/max-rows.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  type OwnershipTest,
  type Person,
  readGrant,
  startOwnershipTest,
} from "./owned-objects-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(chooseDatabases())("handing over on $name", ({ createDatabase }) => {
  let test: OwnershipTest
  let owner: Person
  let heir: Person
  let reader: Person

  beforeAll(async () => {
    test = await startOwnershipTest(createDatabase, { MAX_STORAGE: "60KB/1GB" })
    owner = await test.newPerson()
    heir = await test.newPerson()
    reader = await test.newPerson()
  })
  afterAll(() => test.stop())

  /** An object that the reader may use, by its paths. */
  const objects = {
    model: async (by: Person) => {
      const { id } = await test.newModel(by, readGrant(reader))
      const path = "/api/v1/models/model"
      return { id, read: `${path}?id=${id}`, transfer: `${path}/transfer?id=${id}` }
    },
    collection: async (by: Person) => {
      const { id } = await test.newCollection(by, readGrant(reader))
      return { id, read: `/api/v1/knowledge/${id}`, transfer: `/api/v1/knowledge/${id}/transfer` }
    },
    prompt: async (by: Person) => {
      const { id } = await test.newPrompt(by, readGrant(reader))
      return { id, read: `/api/v1/prompts/${id}`, transfer: `/api/v1/prompts/${id}/transfer` }
    },
    file: async (by: Person) => {
      const collection = await test.newCollection(test.gateway, readGrant(reader))
      const { id } = await test.newFile(by)
      await test.addToCollection(test.gateway, collection.id, id)
      return { id, read: `/api/v1/files/${id}`, transfer: `/api/v1/files/${id}/transfer` }
    },
  }
  const kinds = Object.entries(objects)

  const transfer = (path: string, transfer_to: string, by: Pick<Person, "key"> = owner) =>
    test.gateway.call("POST", path, { transfer_to }, { key: by.key })
  const readersOf = async (path: string): Promise<number[]> => {
    const replies = await Promise.all([owner, heir, reader].map((who) => test.get(path, who)))
    return replies.map(({ status }) => status)
  }

  it.each(kinds)("a %s makes the new owner its owner; grants stay", async (_type, create) => {
    const { read, transfer: path } = await create(owner)
    expect(await readersOf(read)).toEqual([200, 404, 200])
    expect((await transfer(path, heir.id)).status).toBe(200)
    expect(await readersOf(read)).toEqual([404, 200, 200])
    const { body } = await test.get(read, reader)
    expect([body.user_id, body.user_name]).toEqual([
      heir.id,
      (await test.get("/api/v1/auths/", heir)).body.name,
    ])
    expect((await transfer(path, owner.id, heir)).status).toBe(200)
  })

  it.each(kinds)("a %s is up to its owner and administrators", async (_type, create) => {
    const { read, transfer: path } = await create(owner)
    expect((await transfer(path, heir.id, reader)).status).toBe(403)
    expect((await transfer(path, heir.id, heir)).status).toBe(404)
    expect((await transfer(path, heir.email, test.gateway)).status).toBe(200)
    expect((await test.get(read, heir)).body.user_id).toBe(heir.id)
  })

  it.each(kinds)("a %s is recorded in the audit log", async (type, create) => {
    const { id, transfer: path } = await create(owner)
    await transfer(path, heir.id)
    const { body } = await test.get(`/api/v1/audit?target=${id}`)
    expect(body.items[0]).toMatchObject({
      action: `${type}.transferred`,
      actor_id: owner.id,
      before: { user_id: owner.id },
      after: { user_id: heir.id },
    })
  })

  it.each(kinds)("a %s requires a new owner who can use the gateway", async (_type, create) => {
    const { read, transfer: path } = await create(owner)
    const away = await test.newPerson()
    await test.post(`/api/v1/users/${away.id}/update`, { active: false })
    for (const ref of [away.id, away.email, "nobody", "nobody@example.com", owner.id, " "]) {
      const { status, body } = await transfer(path, ref)
      expect([ref, status, body.errors[0].path]).toEqual([ref, 422, "transfer_to"])
    }
    expect((await test.get(read)).body.user_id).toBe(owner.id)
  })

  const usedBy = async (person: Person) => (await test.get("/api/v1/storage", person)).body.used

  it("moves what an object takes of the storage, within the new owner's limit", async () => {
    const [giver, taker] = [await test.newPerson(), await test.newPerson()]
    const options = { key: giver.key, query: "?process=false" }
    const { body: file } = await upload(test.gateway, "long.txt", "x".repeat(45_000), options)
    const used = await usedBy(giver)
    expect(used).toBe(45_000)
    const path = `/api/v1/files/${file.id}/transfer`
    await test.newPrompt(taker, { content: "x".repeat(20_000) })
    await test.newPrompt(taker, { content: "x".repeat(5_000) })
    const refused = await transfer(path, taker.id, giver)
    expect(refused).toMatchObject({ status: 413, body: { code: "storage_limit" } })
    expect([await usedBy(giver), refused.body.storage]).toEqual([used, undefined])
    const other = await test.newPerson()
    expect((await transfer(path, other.id, giver)).status).toBe(200)
    expect([await usedBy(giver), await usedBy(other)]).toEqual([0, used])
  })

  it("counts toward the new owner's limits on objects", async () => {
    const taker = await test.newPerson()
    const row = { user_id: taker.id, title: "T", title_key: "t", content: "c", created_at: 0 }
    const rows = Array.from({ length: maxRows.promptsPerUser }, (_, n) => ({
      ...{ ...row, id: `${taker.id} ${n}`, command: `many-${n}`, updated_at: 0 },
    }))
    await test.gateway.gateway.db.transact(async (tx) => {
      await tx.insertInto("prompts").values(rows).execute()
    })
    const { transfer: path } = await objects.prompt(owner)
    const { status, body } = await transfer(path, taker.id)
    expect([status, body.code]).toEqual([409, "limit_reached"])
    expect(body.detail).toMatch(/new owner/)
  })

  it("hands a collection over with the files that only it contains", async () => {
    const [shared, other] = [await test.newCollection(owner), await test.newCollection(owner)]
    const [only, both] = [await test.newFile(owner), await test.newFile(owner)]
    await test.addToCollection(owner, shared.id, only.id)
    for (const { id } of [shared, other]) await test.addToCollection(owner, id, both.id)
    expect((await transfer(`/api/v1/knowledge/${shared.id}/transfer`, heir.id)).status).toBe(200)
    const ownerOf = async ({ id }: { id: string }) =>
      (await test.get(`/api/v1/files/${id}`)).body.user_id
    expect([await ownerOf(only), await ownerOf(both)]).toEqual([heir.id, owner.id])
    expect(await readersOf(`/api/v1/files/${only.id}`)).toEqual([404, 200, 404])
  })

  it("never lets a member's model answer under the id of another model", async () => {
    const late = await startFakeOpenAI({ models: ["late-model"] })
    const { id } = await test.newModel(owner, { id: "late-model" })
    const connection = { kind: "openai", name: "late", base_url: late.url }
    const { id: connectionId } = await test.post("/api/v1/connections/create", connection)
    await waitForModels(test.gateway, ["late-model"])
    const path = `/api/v1/models/model/transfer?id=${id}`
    const { id: adminId } = (await test.get("/api/v1/auths/")).body
    expect((await transfer(path, adminId)).status).toBe(409)
    expect((await transfer(path, heir.id)).status).toBe(200)
    const owned = await test.newModel(test.gateway, { id: "gpt-fake", base_model_id: "gpt-fake" })
    const own = `/api/v1/models/model/transfer?id=${owned.id}`
    expect((await transfer(own, heir.id, test.gateway)).status).toBe(409)
    await test.post("/api/v1/models/model/delete", { id: owned.id })
    await test.gateway.call("DELETE", `/api/v1/connections/${connectionId}`)
    await late.close()
  })

  it("refuses a model whose base its new owner may not use", async () => {
    const closed = await startFakeOpenAI({ models: ["closed-model"] })
    const grant = { principal_type: "user", principal_id: owner.id, permission: "read" }
    const connection = {
      kind: "openai",
      name: "closed",
      base_url: closed.url,
      access_grants: [grant],
    }
    await test.post("/api/v1/connections/create", connection)
    await waitForModels(test.gateway, ["closed-model"])
    const { id } = await test.newModel(owner, { base_model_id: "closed-model" })
    const { status, body } = await transfer(`/api/v1/models/model/transfer?id=${id}`, heir.id)
    expect([status, body.detail]).toEqual([409, expect.stringContaining("closed-model")])
    await closed.close()
  })

  it("shows that the owner of a model was deleted, and lets administrators take it over", async () => {
    const { id } = await test.newModel(test.gateway, readGrant(reader))
    await test.gateway.gateway.db.transact(async (tx) => {
      // As earlier versions left models behind.
      await tx.updateTable("models").set({ user_id: "deleted" }).where("id", "=", id).execute()
      await test.gateway.gateway.bus.publish(tx, { topic: "models", id })
    })
    const path = `/api/v1/models/model?id=${id}`
    expect((await test.get(path, reader)).body).toMatchObject({ user_name: null })
    const transferPath = `/api/v1/models/model/transfer?id=${id}`
    expect((await transfer(transferPath, heir.id, test.gateway)).status).toBe(200)
    const { body } = await test.get(`/api/v1/models/list?query=${id}`, reader)
    expect(body.items[0]).toMatchObject({
      user_id: heir.id,
      user_name: expect.stringMatching(/^Person/),
    })
  })

  it("works once if several hand the same object over at the same moment", async () => {
    const takers = await Promise.all([1, 2, 3].map(() => test.newPerson()))
    for (const [, create] of kinds) {
      const { read, transfer: path } = await create(owner)
      const replies = await Promise.all(takers.map(({ id }) => transfer(path, id)))
      const winners = takers.filter((_, n) => replies[n]?.status === 200)
      expect(winners).toHaveLength(1)
      expect((await test.get(read)).body.user_id).toBe(winners[0]?.id)
    }
  })
})

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { adminEmail } from "../harness/gateway.ts"
import {
  everyone,
  type OwnershipTest,
  type Person,
  readGrant,
  startOwnershipTest,
} from "./owned-objects-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(chooseDatabases())("deleting an account on $name", ({ createDatabase }) => {
  let test: OwnershipTest
  let reader: Person
  let heir: Person

  beforeAll(async () => {
    test = await startOwnershipTest(createDatabase)
    reader = await test.newPerson()
    heir = await test.newPerson()
  })
  afterAll(() => test.stop())

  /** What others can use of a person, by how they read it. */
  const sharedObjects = {
    model: async (owner: Person) => {
      const { id } = await test.newModel(owner, readGrant(reader))
      return { id, path: `/api/v1/models/model?id=${id}` }
    },
    collection: async (owner: Person) => {
      const { id } = await test.newCollection(owner, readGrant(reader))
      return { id, path: `/api/v1/knowledge/${id}` }
    },
    prompt: async (owner: Person) => {
      const { id } = await test.newPrompt(owner, readGrant(reader))
      return { id, path: `/api/v1/prompts/${id}` }
    },
    chat: async (owner: Person) => {
      const { id } = await test.newSharedChat(owner)
      return { id, path: `/api/v1/chats/${id}` }
    },
    file: async (owner: Person) => {
      const collection = await test.newCollection(reader, {
        access_grants: [{ principal_type: "user", principal_id: owner.id, permission: "write" }],
      })
      const { id } = await test.newFile(owner)
      await test.addToCollection(owner, collection.id, id)
      return { id, path: `/api/v1/files/${id}` }
    },
  }
  const kinds = Object.entries(sharedObjects)

  const statusOf = async (path: string, person: Person = reader): Promise<number> =>
    (await test.get(path, person)).status

  it.each(kinds)("is refused while others use a %s of it, and names it", async (type, create) => {
    const leaver = await test.newPerson()
    const { id, path } = await create(leaver)
    const refused = await test.removeUser(leaver)
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "in_use", in_use: { total: 1, counts: { [type]: 1 }, items: [{ type, id }] } },
    })
    expect(refused.body.detail).toMatch(/transfer_to.*confirm=delete/s)
    expect([await statusOf(path), (await test.get("/api/v1/auths/", leaver)).status]).toEqual([
      200, 200,
    ])
  })

  it.each(kinds)("hands a %s over to the person in transfer_to", async (_type, create) => {
    const leaver = await test.newPerson()
    const { path } = await create(leaver)
    expect((await test.removeUser(leaver, `?transfer_to=${heir.id}`)).status).toBe(200)
    const { status, body } = await test.get(path, reader)
    expect([status, body.user_id]).toEqual([200, heir.id])
    expect(await statusOf(path, heir)).toBe(200)
    expect((await test.get(`/api/v1/users/${leaver.id}`)).status).toBe(404)
  })

  it.each(kinds)(
    "deletes a %s that others use only if that is confirmed",
    async (_type, create) => {
      const leaver = await test.newPerson()
      const { id, path } = await create(leaver)
      expect((await test.removeUser(leaver, "?confirm=delete")).status).toBe(200)
      expect(await statusOf(path)).toBe(404)
      const grants = await test.gateway.gateway.db.read
        .selectFrom("access_grants")
        .selectAll()
        .where("resource_id", "=", id)
        .execute()
      expect(grants).toEqual([])
    },
  )

  it("needs no confirmation if nobody else uses anything", async () => {
    const leaver = await test.newPerson()
    const model = await test.newModel(leaver)
    await test.newCollection(leaver)
    await test.newPrompt(leaver, readGrant(leaver))
    await test.newFile(leaver)
    expect((await test.removeUser(leaver)).status).toBe(200)
    expect(await statusOf(`/api/v1/models/model?id=${model.id}`)).toBe(404)
  })

  it("says who uses what, and lists everything the person owns", async () => {
    const leaver = await test.newPerson()
    const group = await test.newGroup(reader)
    const access_grants = [
      { principal_type: "group", principal_id: group.id, permission: "write" },
      { principal_type: "user", principal_id: reader.id, permission: "read" },
      { principal_type: "user", principal_id: "*", permission: "read" },
    ]
    const collection = await test.newCollection(leaver, { access_grants })
    const based = await test.newModel(reader, { meta: { knowledge: [{ id: collection.id }] } })
    await test.newPrompt(leaver)
    const { status, body } = await test.get(`/api/v1/users/${leaver.id}/owned`)
    expect(status).toBe(200)
    expect(body.counts).toMatchObject({ collection: 1, prompt: 1, model: 0, file: 0, api_key: 1 })
    expect(body.in_use).toMatchObject({ total: 1, counts: { collection: 1 } })
    const [item] = body.in_use.items
    expect(item).toMatchObject({ type: "collection", name: collection.name, shared_count: 3 })
    expect(item.owner.id).toBe(leaver.id)
    expect(item.shared_with).toHaveLength(3)
    expect(item.shared_with).toContainEqual({ type: "everyone", id: "*", name: "" })
    expect(item.shared_with).toContainEqual({ type: "group", id: group.id, name: group.name })
    expect(item.used_by).toEqual([{ type: "model", id: based.id, name: based.name }])
    expect((await test.get(`/api/v1/users/${leaver.id}/owned`, reader)).status).toBe(403)
    expect((await test.get("/api/v1/users/nobody/owned")).status).toBe(404)
  })

  it("is refused while others' models need it, even if nothing was shared", async () => {
    const leaver = await test.newPerson()
    const model = await test.newModel(leaver)
    const based = await test.newModel(test.gateway, { base_model_id: model.id })
    const refused = await test.removeUser(leaver)
    expect(refused).toMatchObject({
      status: 409,
      body: { in_use: { total: 1, items: [{ id: model.id, used_by: [{ id: based.id }] }] } },
    })
  })

  it("lists a bounded number of objects, and counts all of them", async () => {
    const leaver = await test.newPerson()
    for (let n = 0; n < 25; n++) await test.newPrompt(leaver, everyone)
    const { status, body } = await test.removeUser(leaver)
    expect([status, body.in_use.total, body.in_use.counts]).toEqual([409, 25, { prompt: 25 }])
    expect(body.in_use.items).toHaveLength(20)
  })

  it("hands over to a group: the administrator owns it, and the members may change it", async () => {
    const leaver = await test.newPerson()
    const member = await test.newPerson()
    const group = await test.newGroup(member)
    const collection = await test.newCollection(leaver)
    const searching = await test.newModel(leaver, { meta: { knowledge: [collection.id] } })
    const plain = await test.newModel(leaver)
    const prompt = await test.newPrompt(leaver)
    expect((await test.removeUser(leaver, `?transfer_to=${group.id}`)).status).toBe(200)
    const change = async (path: string, body: object) =>
      (await test.gateway.call("POST", path, body, { key: member.key })).status
    const statuses = [
      await change(`/api/v1/knowledge/${collection.id}/update`, { description: "new" }),
      await change(`/api/v1/prompts/${prompt.id}/update`, { title: "new" }),
      await change(`/api/v1/models/model/update?id=${plain.id}`, { name: "new" }),
      // Its readers would otherwise no longer search with its owner's access.
      await change(`/api/v1/models/model/update?id=${searching.id}`, { name: "new" }),
    ]
    expect(statuses).toEqual([200, 200, 200, 403])
    expect(await statusOf(`/api/v1/models/model?id=${searching.id}`, member)).toBe(200)
    const { body } = await test.get(`/api/v1/knowledge/${collection.id}`)
    const { body: admin } = await test.get("/api/v1/auths/")
    expect([body.user_id, admin.email]).toEqual([admin.id, adminEmail])
  })

  it("deletes private chats, files in no collection and keys also when it hands over", async () => {
    const leaver = await test.newPerson()
    const chat = await test.post("/api/v1/chats/new", { title: "private" }, leaver)
    const loose = await test.newFile(leaver)
    const collection = await test.newCollection(leaver)
    const kept = await test.newFile(leaver)
    await test.addToCollection(leaver, collection.id, kept.id)
    expect((await test.removeUser(leaver, `?transfer_to=${heir.id}`)).status).toBe(200)
    const { db } = test.gateway.gateway
    const chats = await db.read.selectFrom("chats").select("id").where("id", "=", chat.id).execute()
    expect(chats).toEqual([])
    expect([
      await statusOf(`/api/v1/files/${loose.id}`, heir),
      await statusOf(`/api/v1/files/${kept.id}`, heir),
    ]).toEqual([404, 200])
  })

  it("gives a prompt another command if its new owner has one with the same", async () => {
    const leaver = await test.newPerson()
    const { command } = await test.newPrompt(heir)
    const prompt = await test.newPrompt(leaver, { command })
    expect((await test.removeUser(leaver, `?transfer_to=${heir.id}`)).status).toBe(200)
    const { body } = await test.get(`/api/v1/prompts/${prompt.id}`, heir)
    expect([body.user_id, body.command]).toEqual([heir.id, `${command}-2`])
  })

  it.each([
    ["nobody", () => "nobody"],
    ["the account itself", ({ id }: Person) => id],
  ])("refuses %s as the new owner", async (_who, refOf) => {
    const leaver = await test.newPerson()
    const { status, body } = await test.removeUser(leaver, `?transfer_to=${refOf(leaver)}`)
    expect([status, body.errors[0].path]).toEqual([422, "transfer_to"])
  })

  it.each([{ active: false }, { role: "pending" }])(
    "refuses a new owner who cannot use the gateway: %j",
    async (changes) => {
      const leaver = await test.newPerson()
      const away = await test.newPerson()
      await test.post(`/api/v1/users/${away.id}/update`, changes)
      const { status, body } = await test.removeUser(leaver, `?transfer_to=${away.id}`)
      expect([status, body.errors[0].path]).toEqual([422, "transfer_to"])
    },
  )

  it("records in the audit log what was handed over to whom", async () => {
    const leaver = await test.newPerson()
    const prompt = await test.newPrompt(leaver, everyone)
    await test.removeUser(leaver, `?transfer_to=${heir.id}`)
    const { body } = await test.get(`/api/v1/audit?target=${leaver.id}`)
    expect(body.items.slice(0, 2)).toMatchObject([
      { action: "user.deleted" },
      {
        action: "user.objects_transferred",
        before: { user_id: leaver.id },
        after: { user_id: heir.id, counts: { prompt: 1 }, ids: { prompt: [prompt.id] } },
      },
    ])
  })

  it("never deletes what is being shared at the same moment", async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < 12; round++) {
      const leaver = await test.newPerson()
      const { id } = await test.newCollection(leaver)
      const path = `/api/v1/knowledge/${id}`
      const [shared, removed] = await Promise.all([
        test.gateway.call("POST", `${path}/update`, everyone, { key: leaver.key }),
        test.removeUser(leaver),
      ])
      const found = await statusOf(path)
      if (shared.status === 200) expect([removed.status, found]).toEqual([409, 200])
      else expect([removed.status, found]).toEqual([200, 404])
      outcomes.add(`${shared.status} ${removed.status}`)
    }
    expect(outcomes.size).toBeGreaterThan(0)
  })
})

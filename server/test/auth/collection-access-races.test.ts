import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { sendIncompleteRequest } from "../http/incomplete-request.ts"
import { createCollection, upload } from "../knowledge/collections.ts"

vi.setConfig({ testTimeout: 60_000 })

const rounds = 10
const writersAtOnce = 8

const grantTo = (principal_id: string, permission: "read" | "write" = "write") => ({
  principal_type: "user",
  principal_id,
  permission,
})

describe.each(chooseDatabases())("write access to a collection on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let owner: { id: string; key: string }
  let writer: { id: string; key: string }

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    owner = await gateway.createUser("Owen")
    writer = await gateway.createUser("Willa")
  })
  afterAll(() => gateway.stop())

  const post = (who: { key: string }, id: string, action: string, body: unknown = {}) =>
    gateway.call("POST", `/api/v1/knowledge/${id}/${action}`, body, { key: who.key })
  const remove = (who: { key: string }, id: string) =>
    gateway.call("DELETE", `/api/v1/knowledge/${id}/delete`, undefined, { key: who.key })
  const get = (who: { key: string }, id: string) =>
    gateway.call("GET", `/api/v1/knowledge/${id}`, undefined, { key: who.key })

  const share = async (access_grants: object[], fileIds: string[] = []): Promise<string> => {
    const id = await createCollection(gateway, "Shared", fileIds, owner.key)
    expect((await post(owner, id, "update", { access_grants })).status).toBe(200)
    return id
  }

  it("stays revoked, whatever its holder writes at that moment", async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await share([grantTo(writer.id)])
      const isDone = { now: false }
      let written = 0
      const write = async (): Promise<void> => {
        while (!isDone.now) {
          const { status } = await post(writer, id, "update", { description: `round ${round}` })
          if (status === 200) written++
        }
      }
      const writers = Array.from({ length: writersAtOnce }, write)
      await expect.poll(() => written, { interval: 1 }).toBeGreaterThan(writersAtOnce + round - 1)
      const revoked = await post(owner, id, "update", { access_grants: [] })
      expect(revoked).toMatchObject({ status: 200, body: { access_grants: [] } })
      isDone.now = true
      await Promise.all(writers)
      expect((await get(owner, id)).body.access_grants).toEqual([])
      expect((await get(writer, id)).status).toBe(404)
      expect((await post(writer, id, "update", { description: "again" })).status).toBe(404)
    }
  })

  it("stays revoked if its holder's update was waiting for the revocation", async () => {
    const id = await share([grantTo(writer.id)])
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    const locking = gateway.gateway.db.transact(async (tx) => {
      const row = tx.updateTable("collections").set({ updated_at: 1 }).where("id", "=", id)
      await row.execute()
      locked()
      await isReleased
    })
    await isLocked
    const revoking = post(owner, id, "update", { access_grants: [] })
    await waitForEarlierRequests(gateway, owner.key)
    const writing = post(writer, id, "update", { description: "still here" })
    await waitForEarlierRequests(gateway, writer.key)
    release()
    await locking
    expect((await revoking).status).toBe(200)
    expect((await writing).status).toBe(404)
    expect((await get(owner, id)).body.access_grants).toEqual([])
  })

  it("loses no update when several users change different fields concurrently", async () => {
    const id = await share([grantTo(writer.id)])
    for (let round = 0; round < rounds; round++) {
      const [name, description] = [`Name ${round}`, `Description ${round}`]
      await Promise.all([
        post(owner, id, "update", { name }),
        post(writer, id, "update", { description }),
        post(owner, id, "update", { search: round % 2 ? "lexical" : "hybrid" }),
      ])
      expect((await get(owner, id)).body).toMatchObject({ name, description })
    }
    expect((await get(owner, id)).body.access_grants).toEqual([grantTo(writer.id)])
  })

  it("covers the content, but not the grants or deletion", async () => {
    const { body: file } = await upload(gateway, "w.txt", "Wasps build.", { key: owner.key })
    const present = [grantTo(writer.id), grantTo("*", "read")]
    const id = await share(present, [file.id])
    const named = await post(writer, id, "update", { name: "Wasps", access_grants: present })
    expect(named).toMatchObject({ status: 200, body: { name: "Wasps", grant_count: 2 } })
    const reordered = { access_grants: present.toReversed() }
    expect((await post(writer, id, "update", reordered)).status).toBe(200)

    const stolen = { description: "mine", access_grants: [...present, grantTo("eve")] }
    const shared = await post(writer, id, "update", stolen)
    expect(shared).toMatchObject({ status: 403, body: { code: "forbidden" } })
    expect(shared.body.detail).toContain("access_grants")
    expect((await post(writer, id, "update", { access_grants: [] })).status).toBe(403)
    expect((await remove(writer, id)).status).toBe(403)
    expect((await get(owner, id)).body).toMatchObject({ description: "" })
    expect((await get(owner, id)).body.access_grants).toHaveLength(2)

    expect((await post(writer, id, "file/remove", { file_id: file.id })).status).toBe(200)
    expect((await post(writer, id, "reset")).status).toBe(200)
    expect((await post({ key: gateway.key }, id, "update", { access_grants: [] })).status).toBe(200)
    expect((await remove({ key: gateway.key }, id)).status).toBe(200)
  })

  it("is denied to a user who leaves the group before their request is complete", async () => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Writers" })
    const move = (verb: "add" | "remove") => {
      const path = `/api/v1/groups/${group.id}/members/${verb}`
      return gateway.call("POST", path, { user_ids: [writer.id] })
    }
    expect((await move("add")).status).toBe(200)
    const id = await share([
      { principal_type: "group", principal_id: group.id, permission: "write" },
    ])
    const path = `/api/v1/knowledge/${id}/update`
    const body = { description: "still here" }
    const held = await sendIncompleteRequest(gateway, { path, body, key: writer.key })
    expect((await move("remove")).status).toBe(200)
    expect(await held.finish()).toBe(404)
    expect((await get(owner, id)).body.description).toBe("")
  })

  it("allows adding several files at once, but none if one belongs to another user", async () => {
    const { body: own } = await upload(gateway, "own.txt", "Mine.", { key: writer.key })
    const { body: other } = await upload(gateway, "other.txt", "Not yours.", { key: owner.key })
    const id = await share([grantTo(writer.id)])
    const refs = (...ids: string[]) => ids.map((file_id) => ({ file_id }))
    const hidden = await post(writer, id, "files/batch/add", refs(own.id, other.id))
    expect(hidden.status).toBe(404)
    await post(owner, id, "file/add", { file_id: other.id })
    expect((await post(writer, id, "files/batch/add", refs(own.id, other.id))).status).toBe(403)
    const added = await post(writer, id, "files/batch/add", refs(own.id, own.id))
    expect(added).toMatchObject({ status: 200, body: { file_counts: { total: 2 } } })
  })
})

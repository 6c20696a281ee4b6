import { setImmediate as nextTurn } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { type StreamedCompletion, startStreamedCompletion } from "../harness/streamed-completion.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const scimToken = "the-identity-providers-own-token-of-this-test"
const seconds = 20
/** The guarantee is one second, but the machine may be busy. */
const maxRevocationMs = 5000

describe.each(chooseDatabases())("a running stream on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let ada: { id: string; key: string }
  let bob: { id: string; key: string }
  let group: string
  let connection: string

  const post = async (path: string, body?: object) => {
    const reply = await gateway.call("POST", path, body)
    expect([path, reply.status]).toEqual([path, 200])
    return reply.body
  }
  const grants = (...ids: string[]) =>
    ids.map((id) => ({
      principal_type: id === group ? "group" : "user",
      principal_id: id,
      permission: "read",
    }))
  const add = (...user_ids: string[]) => post(`/api/v1/groups/${group}/members/add`, { user_ids })
  const remove = (id: string) => post(`/api/v1/groups/${group}/members/remove`, { user_ids: [id] })

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI({ models: ["closed"] })
    gateway = await startGateway({ ...database.env, SCIM_ENABLED: "true", SCIM_TOKEN: scimToken })
    ada = await gateway.createUser("Ada2")
    bob = await gateway.createUser("Bob")
    group = (await post("/api/v1/groups/create", { name: "crew" })).id
    const created = { kind: "openai", name: "closed", base_url: upstream.url }
    const access_grants = grants(group, bob.id)
    connection = (await post("/api/v1/connections/create", { ...created, access_grants })).id
    await waitForModels(gateway, ["closed"])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const start = async (key: string, model: string): Promise<StreamedCompletion> => {
    const stream = await startStreamedCompletion(gateway, { key, seconds, model })
    expect(stream.status).toBe(200)
    return stream
  }

  const expectRevoked = async ({ body, endedAt }: StreamedCompletion, since: number) => {
    const text = await body
    expect((await endedAt) - since).toBeLessThan(maxRevocationMs)
    expect(text).toContain("was revoked")
    expect(text).not.toContain("[DONE]")
  }
  const isRunning = ({ endedAt }: StreamedCompletion): Promise<boolean> =>
    Promise.race([endedAt.then(() => false), nextTurn(true)])

  it("ends when its caller is removed from the group that granted access; others' streams continue", async () => {
    await add(ada.id, bob.id)
    const [adasStream, bobsStream] = [
      await start(ada.key, "closed"),
      await start(bob.key, "closed"),
    ]
    const since = performance.now()
    await remove(ada.id)
    await expectRevoked(adasStream, since)
    // He still has access by his own grant.
    await remove(bob.id)
    // When a later change has ended the control stream, this one would also have ended.
    await add(ada.id)
    const control = await start(ada.key, "closed")
    const removedAt = performance.now()
    await remove(ada.id)
    await expectRevoked(control, removedAt)
    expect(await isRunning(bobsStream)).toBe(true)
  })

  it("ends when SCIM removes its caller from the group, or deletes the group", async () => {
    const scim = (method: string, path: string, body?: object) =>
      gateway.call(method, `/api/v1/scim/v2${path}`, body, { key: scimToken })
    const create = async () => {
      const members = [{ value: ada.id }]
      const displayName = `provided ${performance.now()}`
      const { body } = await scim("POST", "/Groups", { displayName, members })
      const access_grants = [
        { principal_type: "group", principal_id: body.id, permission: "read" },
        ...grants(group, bob.id),
      ]
      await post(`/api/v1/connections/${connection}/update`, { access_grants })
      return body.id as string
    }
    const first = await create()
    const stream = await start(ada.key, "closed")
    let since = performance.now()
    const Operations = [{ op: "remove", path: `members[value eq "${ada.id}"]` }]
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]
    expect((await scim("PATCH", `/Groups/${first}`, { schemas, Operations })).status).toBe(200)
    await expectRevoked(stream, since)
    const second = await create()
    const other = await start(ada.key, "closed")
    since = performance.now()
    expect((await scim("DELETE", `/Groups/${second}`)).status).toBe(204)
    await expectRevoked(other, since)
  })

  it("ends when a grant is removed from the connection or the custom model", async () => {
    const path = `/api/v1/connections/${connection}/update`
    await post(path, { access_grants: grants(ada.id, bob.id) })
    const stream = await start(ada.key, "closed")
    let since = performance.now()
    await post(path, { access_grants: grants(bob.id) })
    await expectRevoked(stream, since)

    const model = { id: `own-${connection}`, name: "Own", base_model_id: "closed" }
    await post("/api/v1/models/create", { ...model, access_grants: grants(ada.id) })
    const own = await start(ada.key, model.id)
    since = performance.now()
    await post(`/api/v1/models/model/update?id=${model.id}`, { access_grants: [] })
    await expectRevoked(own, since)
  })

  it("ends when its caller loses the role that allowed it", async () => {
    const role = (name: string) => post(`/api/v1/users/${ada.id}/update`, { role: name })
    await role("admin")
    const stream = await start(ada.key, "closed")
    const since = performance.now()
    await role("user")
    await expectRevoked(stream, since)
  })

  it("continues when its model is disabled or deleted, and when unrelated access changes", async () => {
    const model = { id: `gone-${connection}`, name: "Gone", base_model_id: "closed" }
    await post("/api/v1/models/create", { ...model, access_grants: grants(ada.id) })
    const stream = await start(ada.key, model.id)
    const control = await start(bob.key, "closed")
    await post(`/api/v1/models/model/toggle?id=${model.id}`)
    await add(bob.id)
    await post("/api/v1/models/model/delete", { id: model.id })
    const since = performance.now()
    const access_grants = grants(ada.id)
    await post(`/api/v1/connections/${connection}/update`, { access_grants })
    await expectRevoked(control, since)
    expect(await isRunning(stream)).toBe(true)
  })
})

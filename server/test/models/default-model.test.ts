import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(chooseDatabases())("the default model on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstreams: FakeOpenAI[]
  let gateway: TestGateway
  let member: { key: string }
  let newcomer: { key: string }

  beforeAll(async () => {
    database = await createDatabase()
    upstreams = [
      await startFakeOpenAI({ models: ["text-embedding-small", "zeta"] }),
      await startFakeOpenAI({ models: ["alpha"] }),
    ]
    gateway = await startGateway({
      ...database.env,
      OPENAI_API_BASE_URLS: upstreams.map(({ url }) => url).join(";"),
    })
    await waitForModels(gateway, ["zeta", "alpha"])
    member = await gateway.createUser("Member")
    newcomer = await gateway.createUser("Newcomer")
  })
  afterAll(async () => {
    await gateway.stop()
    for (const upstream of upstreams) await upstream.close()
    await database.remove()
  })

  const publish = (id: string, by: { key: string }, fields: object = {}) => {
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    const params = { system: "Praise the author." }
    const model = { id, name: id, base_model_id: "alpha", access_grants, params, ...fields }
    return gateway.call("POST", "/api/v1/models/create", model, { key: by.key })
  }
  const setDefault = (default_model: string) =>
    gateway.call("POST", "/api/v1/settings", { default_model })
  const findDefault = async (): Promise<string> => {
    const { body } = await gateway.call("GET", "/api/v1/auths/session", undefined, newcomer)
    return body.default_model
  }

  it("is the first chat model of a connection, in the connections' order", async () => {
    expect(await findDefault()).toBe("zeta")
  })

  it("is never a model that somebody published, unless an administrator chose it", async () => {
    expect((await publish("a-first-one", member)).status).toBe(200)
    expect((await publish("aa-first-one", gateway)).status).toBe(200)
    expect(await findDefault()).toBe("zeta")
    await setDefault("a-first-one")
    expect(await findDefault()).toBe("a-first-one")
    await setDefault("")
    expect(await findDefault()).toBe("zeta")
  })

  it.each(["chosen", "Chosen", "chosen:latest"])(
    "cannot be replaced by a member's model with the same ID after it was deleted: %s",
    async (id) => {
      await publish("chosen", gateway)
      await setDefault("chosen")
      await gateway.call("POST", "/api/v1/models/model/delete", { id: "chosen", confirm: "delete" })
      expect(await findDefault()).toBe("zeta")
      expect((await publish(id, member)).status).toBe(409)
      await setDefault("")
    },
  )

  it("is a model that an administrator made for people without access to connections", async () => {
    const closed = await startGateway()
    const { url } = upstreams[1] ?? { url: "" }
    const connection = { kind: "openai", name: "closed", base_url: url, access_grants: [] }
    await closed.call("POST", "/api/v1/connections/create", connection)
    await waitForModels(closed, ["alpha"])
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    const model = { id: "made", name: "Made", base_model_id: "alpha", access_grants }
    await closed.call("POST", "/api/v1/models/create", model)
    const person = await closed.createUser("Person")
    const own = { id: "a-own", name: "Own", base_model_id: "made", access_grants }
    await closed.call("POST", "/api/v1/models/create", own, person)
    const { body } = await closed.call("GET", "/api/v1/auths/session", undefined, person)
    expect(body.default_model).toBe("made")
    await closed.stop()
  })

  it("is never an embedding model that an administrator made", async () => {
    const closed = await startGateway()
    const { url } = upstreams[0] ?? { url: "" }
    const connection = { kind: "openai", name: "closed", base_url: url, access_grants: [] }
    await closed.call("POST", "/api/v1/connections/create", connection)
    await waitForModels(closed, ["zeta"])
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    for (const [id, base_model_id] of [
      ["a-vectors", "text-embedding-small"],
      ["b-chats", "zeta"],
    ]) {
      const model = { id, name: id, base_model_id, access_grants }
      expect((await closed.call("POST", "/api/v1/models/create", model)).status).toBe(200)
    }
    const person = await closed.createUser("Person")
    const { body } = await closed.call("GET", "/api/v1/auths/session", undefined, person)
    expect(body.default_model).toBe("b-chats")
    await closed.stop()
  })

  it("follows the order within the connections that a person may use", async () => {
    const others = [
      await startFakeOpenAI({ models: ["shared-second"] }),
      await startFakeOpenAI({ models: ["first", "shared-second"] }),
    ]
    const sorted = await startGateway()
    for (const [index, { url }] of others.entries()) {
      const access_grants = index === 0 ? [] : null
      const connection = { kind: "openai", name: `c${index}`, base_url: url, access_grants }
      await sorted.call("POST", "/api/v1/connections/create", connection)
    }
    await waitForModels(sorted, ["first", "shared-second"])
    const person = await sorted.createUser("Person")
    const { body } = await sorted.call("GET", "/api/v1/auths/session", undefined, person)
    expect(body.default_model).toBe("first")
    await sorted.stop()
    for (const other of others) await other.close()
  })

  it("cannot be an ID that would lead to a member's older model without the connection", async () => {
    const older = await startGateway({ OPENAI_API_BASE_URLS: upstreams[1]?.url ?? "" })
    await waitForModels(older, ["alpha"])
    const author = await older.createUser("Author")
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    const model = { id: "zeta", name: "Zeta", base_model_id: "alpha", access_grants }
    expect((await older.call("POST", "/api/v1/models/create", model, author)).status).toBe(200)
    const { url } = upstreams[0] ?? { url: "" }
    const connection = { kind: "openai", name: "later", base_url: url }
    await older.call("POST", "/api/v1/connections/create", connection)
    await waitForModels(older, ["zeta"])
    const reply = await older.call("POST", "/api/v1/settings", { default_model: "zeta" })
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([
      422,
      expect.stringContaining("Another user's model has the same ID. Delete it first."),
    ])
    await older.stop()
  })

  it("is the next one for people who may not use it", async () => {
    await publish("for-some", gateway, { access_grants: [] })
    await setDefault("for-some")
    expect(await findDefault()).toBe("zeta")
    await setDefault("")
  })
})

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

  it("is the next one for people who may not use it", async () => {
    await publish("for-some", gateway, { access_grants: [] })
    await setDefault("for-some")
    expect(await findDefault()).toBe("zeta")
    await setDefault("")
  })
})

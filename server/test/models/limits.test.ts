import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const base = "/api/v1/models"

let upstream: FakeOpenAI

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
})
afterAll(() => upstream.close())

const start = async (
  database: TestDatabase,
  env: Record<string, string> = {},
): Promise<TestGateway> => {
  const gateway = await startGateway({
    ...database.env,
    OPENAI_API_BASE_URLS: upstream.url,
    ...env,
  })
  await waitForModels(gateway, ["gpt-fake"])
  return gateway
}

const newModel = (id: string, fields: object = {}) => ({
  id,
  name: `The ${id}`,
  base_model_id: "gpt-fake",
  ...fields,
})

type Key = { key?: string }
const create = (gateway: TestGateway, model: object, options: Key = {}) =>
  gateway.call("POST", `${base}/create`, model, options)
const update = (gateway: TestGateway, id: string, changes: object, options: Key = {}) =>
  gateway.call("POST", `${base}/model/update?id=${id}`, changes, options)
const remove = (gateway: TestGateway, id: string, options: Key = {}) =>
  gateway.call("POST", `${base}/model/delete`, { id }, options)
const importAll = (gateway: TestGateway, ids: readonly string[]) =>
  gateway.call("POST", `${base}/import`, { models: ids.map((id) => newModel(id)) })
const list = (gateway: TestGateway, query = "", options: Key = {}) =>
  gateway.call("GET", `${base}/list?${query}`, undefined, options)
const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id)
const numberedIds = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

describe.each(chooseDatabases())("the number of models on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await start(database, { MAX_MODELS: "5/8" })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it("is limited per user and in total, even for concurrent requests", async () => {
    const [ada, bob] = [await gateway.createUser("Ann"), await gateway.createUser("Bob")]
    const createAll = async (prefix: string, options: Key) => {
      const models = numberedIds(prefix, 20).map((id) => newModel(id))
      const replies = await Promise.all(models.map((model) => create(gateway, model, options)))
      return replies.filter(({ status }) => status !== 200)
    }
    const refused = await createAll("ann-", ada)
    expect(refused).toHaveLength(15)
    expect(refused[0]).toMatchObject({ status: 409, body: { code: "limit_reached" } })
    expect(refused[0]?.body.detail).toMatch(/^You have 5 models.*MAX_MODELS.*Delete models/)
    const refusedOverTotal = await createAll("bob-", bob)
    expect(refusedOverTotal).toHaveLength(17)
    expect(refusedOverTotal[0]?.body.detail).toMatch(/^There are 8 models.*MAX_MODELS/)
    expect((await list(gateway)).body.total).toBe(8)
    const [own = ""] = idsOf(await list(gateway, "", ada))
    expect((await remove(gateway, own, ada)).status).toBe(200)
    expect((await create(gateway, newModel("again"), bob)).status).toBe(200)
  })

  it("counts imports against the total, but not models that they replace", async () => {
    const { body: exported } = await gateway.call("GET", `${base}/export`)
    expect(exported.models).toHaveLength(8)
    for (const id of idsOf(await list(gateway))) await remove(gateway, id)
    const imported = await importAll(gateway, numberedIds("m", 9))
    expect(imported).toMatchObject({ status: 409, body: { code: "limit_reached" } })
    expect((await list(gateway)).body.total).toBe(0)
    const restored = await gateway.call("POST", `${base}/import`, exported)
    expect(restored.body.created).toHaveLength(8)
    expect((await gateway.call("POST", `${base}/import`, exported)).body.updated).toHaveLength(8)
    expect((await importAll(gateway, ["m0"])).status).toBe(409)
    for (const id of idsOf(await list(gateway))) await remove(gateway, id)
    expect((await importAll(gateway, numberedIds("m", 5))).status).toBe(200)
  })

  it("may exceed a lowered limit, which only rejects new models", async () => {
    await gateway.stop()
    gateway = await start(database, { MAX_MODELS: "2/3" })
    expect((await list(gateway)).body.total).toBe(5)
    const { body } = await gateway.call("GET", "/v1/models/m0")
    expect(body).toMatchObject({ name: "The m0", available: true })
    expect((await update(gateway, "m0", { name: "Other" })).body.name).toBe("Other")
    expect((await create(gateway, newModel("more"))).status).toBe(409)
    expect((await remove(gateway, "m1")).status).toBe(200)
    expect((await create(gateway, newModel("more"))).status).toBe(409)
    expect((await list(gateway)).body.total).toBe(4)
  })
})

describe.each(chooseDatabases())("a model's size on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await start(database)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const largeText = "x".repeat(300_000)
  const meta = { description: "", tags: [], large: largeText }
  const params = { large: largeText }

  it("is limited on create, update and import", async () => {
    const tooLargeParams = { status: 422, body: { code: "invalid", errors: [{ path: "params" }] } }
    const tooLarge = { meta: { large: "x" }, params: { large: largeText + largeText } }
    const refused = await create(gateway, newModel("big", tooLarge))
    expect(refused).toMatchObject(tooLargeParams)
    expect(refused.body.detail).toMatch(
      /`meta` and `params` are limited to 512,000 .*yours are 600,\d+\. Shorten `params`\./,
    )
    expect((await create(gateway, newModel("big", { meta }))).status).toBe(200)
    expect(await update(gateway, "big", { params })).toMatchObject(tooLargeParams)
    expect((await update(gateway, "big", { params: { a: 1 } })).status).toBe(200)
    const models = [newModel("good"), newModel("big", { meta: { ...meta, a: largeText } })]
    const imported = await gateway.call("POST", `${base}/import`, { models })
    expect(imported).toMatchObject({ status: 422, body: { errors: [{ path: "models.1.meta" }] } })
    expect((await gateway.call("GET", `${base}/model?id=big`)).body).toMatchObject({
      meta,
      params: { a: 1 },
    })
  })

  it("allows a prompt of 200,000 characters in any script", async () => {
    const prompt = { params: { system: "語".repeat(200_000) } }
    expect((await create(gateway, newModel("prompt", prompt))).status).toBe(200)
  })

  it("does not block updates of an existing larger model unless it grows", async () => {
    await create(gateway, newModel("old", { params }))
    await gateway.gateway.db.transact((tx) =>
      tx
        .updateTable("model_contents")
        .set({ params: JSON.stringify({ large: largeText + largeText }) })
        .where("model_id", "=", "old")
        .execute(),
    )
    const renamed = await update(gateway, "old", { name: "Old", is_active: false })
    expect(renamed).toMatchObject({ status: 200, body: { name: "Old" } })
    const whole = { meta: { description: "", tags: [] }, params: { large: largeText + largeText } }
    expect((await update(gateway, "old", whole)).status).toBe(200)
    const grown = await update(gateway, "old", {
      ...whole,
      params: { large: largeText + largeText, a: 1 },
    })
    expect(grown.status).toBe(422)
    expect((await update(gateway, "old", { params })).status).toBe(200)
  })
})

describe.each(chooseDatabases())("the list of models on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await start(database)
    const names = ["Cedar", "alder", "Birch", "Übung", "Elm"]
    const models = names.map((name, at) => newModel(`m${at}`, { name }))
    await gateway.call("POST", `${base}/import`, { models })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it("is paginated and sorted by name, id or time, in both directions", async () => {
    expect(idsOf(await list(gateway))).toEqual(["m1", "m2", "m0", "m4", "m3"])
    expect(idsOf(await list(gateway, "direction=desc&page_size=2"))).toEqual(["m3", "m4"])
    const second = await list(gateway, "page=2&page_size=2")
    expect(second.body.total).toBe(5)
    expect(idsOf(second)).toEqual(["m0", "m4"])
    expect(idsOf(await list(gateway, "page=4&page_size=2"))).toEqual([])
    await update(gateway, "m2", { params: { system: "Be brief." } })
    expect((await list(gateway, "order_by=created_at")).body.total).toBe(5)
    expect((await list(gateway, "order_by=secret")).status).toBe(422)
    expect((await list(gateway, "page_size=201")).status).toBe(422)
  })

  it("is searched by name and id, ignoring case, and omits contents", async () => {
    expect(idsOf(await list(gateway, `query=${encodeURIComponent("ÜBUNG")}`))).toEqual(["m3"])
    expect(idsOf(await list(gateway, "query=M2"))).toEqual(["m2"])
    const { body } = await list(gateway, "query=birch")
    expect(body).toMatchObject({ total: 1, items: [{ id: "m2", meta: { tags: [] } }] })
    expect(body.items[0]).not.toHaveProperty("params")
    const stranger = await gateway.createUser("Eve")
    expect((await list(gateway, "", stranger)).body).toEqual({ items: [], total: 0 })
  })

  it("is exported with contents", async () => {
    await update(gateway, "m0", { params: { system: "Long." }, meta: { knowledge: ["k"] } })
    const { body, headers } = await gateway.call("GET", `${base}/export`)
    expect(headers.get("content-type")).toMatch(/json/)
    expect(body.models).toHaveLength(5)
    expect(body.models[0]).toMatchObject({
      id: "m0",
      params: { system: "Long." },
      meta: { knowledge: ["k"], description: "", tags: [] },
    })
    for (const { id } of body.models) await remove(gateway, id)
    expect((await gateway.call("GET", `${base}/export`)).body).toEqual({ models: [] })
  })
})

const sharedDatabases = postgresDatabase ? [postgresDatabase] : []

describe.each(sharedDatabases)("two gateways sharing one $name", ({ createDatabase }) => {
  let database: TestDatabase
  let first: TestGateway
  let second: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    first = await start(database)
    second = await start(database)
  })
  afterAll(async () => {
    await first.stop()
    await second.stop()
    await database.remove()
  })

  const upstreamRequestOf = async (gateway: TestGateway, model: string) => {
    const messages = [{ role: "user", content: "hi" }]
    const { status } = await gateway.call("POST", "/v1/chat/completions", { model, messages })
    return status === 200 ? upstream.requests.at(-1)?.json : status
  }
  const expectTemperature = (temperature: number) =>
    expect
      .poll(() => upstreamRequestOf(second, "told"), { timeout: 10_000 })
      .toMatchObject({ temperature, model: "gpt-fake" })

  it("apply each other's changes despite caching", async () => {
    await create(first, newModel("told", { params: { temperature: 0.1 } }))
    await expectTemperature(0.1)
    for (const temperature of [0.2, 0.3]) {
      await update(first, "told", { params: { temperature } })
      await expectTemperature(temperature)
    }
    const user = await second.createUser("Una")
    const read = { principal_type: "user", principal_id: user.id, permission: "read" }
    expect((await list(second, "", user)).body.total).toBe(0)
    await update(first, "told", { access_grants: [read] })
    await expect.poll(async () => (await list(second, "", user)).body.total).toBe(1)
    await remove(first, "told")
    await expect.poll(() => upstreamRequestOf(second, "told")).toBe(404)
  })
})

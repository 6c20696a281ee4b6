import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { isObject } from "../fakes/json.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import type { FakeUpstream } from "../fakes/upstream.ts"
import { deleteFunctions, saveFunction } from "../functions/function-client.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"
const model = "gpt-fake"
const messages = [{ role: "user", content: "one two three" }]

describe.each(chooseDatabases())("limits on $name apply", ({ createDatabase }) => {
  let first: FakeOpenAI
  let second: FakeOpenAI
  let ollama: FakeOllama
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>

  beforeAll(async () => {
    first = await startFakeOpenAI()
    second = await startFakeOpenAI()
    ollama = await startFakeOllama()
    gateway = await startGatewayOnDatabase(createDatabase, {
      OPENAI_API_BASE_URLS: `${first.url};${second.url}`,
      OLLAMA_BASE_URLS: ollama.origin,
    })
    await waitForModels(gateway, [model, "llama3.2:latest"])
    await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
    user = await gateway.createUser("Eve")
  })
  beforeEach(async () => {
    const { body } = await gateway.call("GET", `${path}?page_size=200`)
    for (const { id } of body.items) await gateway.call("DELETE", `${path}/${id}`)
    for (const fake of [first, second, ollama]) fake.requests.length = 0
  })
  afterAll(async () => {
    await gateway.stop()
    await Promise.all([first, second, ollama].map((fake) => fake.close()))
  })

  const limit = async (values: object): Promise<string> => {
    const target = { type: "user", id: user.id }
    const { status, body } = await gateway.call("POST", path, { target, ...values })
    expect(status).toBe(200)
    return body.id
  }
  const ask = (values: object = {}, apiPath = "/v1/chat/completions") =>
    gateway.call("POST", apiPath, { model, messages, ...values }, { key: user.key })
  const statusesOf = async (...requests: object[]): Promise<number[]> => {
    const statuses: number[] = []
    for (const request of requests) statuses.push((await ask(request)).status)
    return statuses
  }
  const bodiesSentTo = (fake: FakeUpstream) =>
    fake.requests.map(({ json }) => json).filter((body) => isObject(body) && "model" in body)

  it("to members of a group from their next request on, until they leave it", async () => {
    const { id } = (await gateway.call("POST", "/api/v1/groups/create", { name: "Team" })).body
    await limit({ target: { type: "group", id }, metric: "requests", amount: 0, window: "day" })
    expect(await statusesOf({})).toEqual([200])
    const member = { user_ids: [user.id] }
    await gateway.call("POST", `/api/v1/groups/${id}/members/add`, member)
    const rejected = await ask()
    expect(rejected.body.error.message).toContain("requests per day for your group")
    await gateway.call("POST", `/api/v1/groups/${id}/members/remove`, member)
    expect(await statusesOf({})).toEqual([200])
  })

  it("to service keys, and to those of their group", async () => {
    const { id } = (await gateway.call("POST", "/api/v1/groups/create", { name: "Reports" })).body
    const created = await gateway.call("POST", `/api/v1/groups/${id}/keys`, { name: "Nightly" })
    const key = created.body.api_key
    const askWithKey = () =>
      gateway.call("POST", "/v1/chat/completions", { model, messages }, { key })
    const ofKey = { type: "key", id: created.body.id }
    const limitId = await limit({ target: ofKey, metric: "requests", amount: 1, window: "day" })
    expect((await askWithKey()).status).toBe(200)
    const rejected = await askWithKey()
    expect([rejected.status, rejected.body.error.message]).toEqual([
      429,
      expect.stringContaining("requests per day for this API key"),
    ])
    expect(await statusesOf({})).toEqual([200])
    await gateway.call("DELETE", `${path}/${limitId}`)
    expect((await askWithKey()).status).toBe(200)
    await limit({ target: { type: "group", id }, metric: "requests", amount: 0, window: "day" })
    expect((await askWithKey()).body.error.message).toContain("for your group")
    // A service key belongs to no user.
    const ofUser = { target: { ...ofKey, type: "user" }, metric: "requests", amount: 0 }
    expect((await gateway.call("POST", path, { ...ofUser, window: "day" })).status).toBe(422)
  })

  it("to a model, whichever model based on it is asked", async () => {
    const created = { id: "helper", name: "Helper", base_model_id: model }
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    await gateway.call("POST", "/api/v1/models/create", { ...created, access_grants })
    await limit({
      target: { type: "model", id: model },
      metric: "requests",
      amount: 1,
      window: "day",
    })
    expect(await statusesOf({ model: "helper" }, {}, { model: "helper" })).toEqual([200, 429, 429])
    const other = { metric: "requests", amount: 0, window: "day", model: "llama3.2:latest" }
    await limit(other)
    expect(await statusesOf({ model: "llama3.2" })).toEqual([429])
  })

  it("to a connection, so that another one answers", async () => {
    const target = { type: "connection", id: "env-openai-0" }
    await limit({ target, metric: "requests", amount: 1, window: "day" })
    expect(await statusesOf({}, {}, {}, {})).toEqual([200, 200, 200, 200])
    expect(bodiesSentTo(first).length).toBe(1)
    expect(bodiesSentTo(second).length).toBe(3)
  })

  it("to connections, and ask for as long an answer as one of them allows", async () => {
    const target = { type: "connection", id: "env-openai-0" }
    await limit({ target, metric: "tokens", amount: 2000, window: "day" })
    await limit({
      target: { ...target, id: "env-openai-1" },
      metric: "tokens",
      amount: 0,
      window: "day",
    })
    expect(await statusesOf({})).toEqual([200])
    const [sent] = bodiesSentTo(first)
    const max = expect.toSatisfy((value: unknown) => Number(value) > 1500 && Number(value) < 2000)
    expect(sent).toMatchObject({ max_tokens: max })
    // Of what is left.
    expect(await statusesOf({}, {})).toEqual([200, 200])
    expect(bodiesSentTo(second)).toEqual([])
  })

  it("to a function's own requests, which need no slot of their caller", async () => {
    const calling = `export const reply = async ({ messages }, context) =>
      (await context.chat({ model: "${model}", messages })).content + "!"`
    await saveFunction(gateway, "asker", calling)
    await limit({ metric: "concurrency", amount: 1 })
    const id = await limit({ metric: "requests", amount: 3, window: "day" })
    expect(await statusesOf({ model: "asker" })).toEqual([200])
    const { body } = await gateway.call("GET", path)
    expect(body.items.find((item: { id: string }) => item.id === id)).toMatchObject({ spent: 2 })
    // The function itself is admitted, and its own request is not.
    const failed = await ask({ model: "asker" })
    expect(failed.status).toBeGreaterThanOrEqual(400)
    expect([first, second].flatMap(bodiesSentTo)).toHaveLength(1)
    // A slot of another model is not held by the caller.
    await gateway.call("DELETE", `${path}/${id}`)
    expect(await statusesOf({ model: "asker" })).toEqual([200])
    await limit({ model, metric: "concurrency", amount: 0 })
    const ofModel = await ask({ model: "asker" })
    expect(ofModel.status).toBeGreaterThanOrEqual(400)
    await deleteFunctions(gateway)
  })

  it("to what filters make of a request", async () => {
    const content = `export const before = (request) => ({ ...request, max_tokens: 5000 })`
    await saveFunction(gateway, "longer", content, { filter_models: [model] })
    await limit({ metric: "tokens", amount: 1000, window: "day" })
    const id = await limit({ metric: "requests", amount: 10, window: "day" })
    expect(await ask({ max_tokens: 10 })).toMatchObject({
      status: 429,
      body: { error: { code: "insufficient_quota" } },
    })
    expect((await readUsageRecords(gateway)).at(-1)).toMatchObject({ outcome: "limited", cost: 0 })
    const { body } = await gateway.call("GET", path)
    expect(body.items.find((item: { id: string }) => item.id === id)).toMatchObject({ spent: 0 })
    await deleteFunctions(gateway)
    expect(await statusesOf({ max_tokens: 10 })).toEqual([200])
  })

  it("in the field of each API", async () => {
    await limit({ metric: "tokens", amount: 100_000, window: "day" })
    const local = { model: "llama3.2:latest", messages }
    expect((await ask(local, "/ollama/api/chat")).status).toBe(200)
    expect(bodiesSentTo(ollama)[0]).toMatchObject({ options: { num_predict: expect.any(Number) } })
    await ask({ model: "gpt-reason-fake" })
    const [sent] = [...bodiesSentTo(first), ...bodiesSentTo(second)]
    expect(sent).toMatchObject({ max_tokens: 4096 })
    await ask({ max_tokens: 7, model: "gpt-reason-fake" })
    expect([...bodiesSentTo(first), ...bodiesSentTo(second)]).toContainEqual(
      expect.objectContaining({ max_tokens: 7 }),
    )
  })

  it.each([
    ["max_completion_tokens", { max_tokens: 10, max_completion_tokens: "50000" }],
    ["Max_Tokens", { Max_Tokens: -1 }],
    ["max_tokens", { max_tokens: 10.5 }],
    ["n_predict", { max_tokens: 10, n_predict: -1 }],
  ])("in place of a %s that servers read differently", async (name, stated) => {
    await limit({ metric: "tokens", amount: 3000, window: "day" })
    for (const apiPath of ["/v1/chat/completions", "/openai/chat/completions"]) {
      expect((await ask(stated, apiPath)).status).toBe(200)
      const [sent] = [first, second].flatMap(bodiesSentTo)
      const values = Object.entries(sent ?? {}).filter(([key]) => /max|predict/i.test(key))
      expect(values).toHaveLength(Object.keys(stated).length)
      const max = expect.toSatisfy((value: unknown) => Number(value) > 16 && Number(value) < 3000)
      expect(values).toEqual(values.map(([key]) => [key, max]))
      expect(values.map(([key]) => key)).toContain(name)
      for (const fake of [first, second]) fake.requests.length = 0
    }
  })

  it("to the largest answer that a server may give", async () => {
    await limit({ metric: "tokens", amount: 5000, window: "day" })
    const prompt = ["one", "two", "three", "four", "five", "six"]
    const tokens = Array.from({ length: 100 }, (_, token) => token)
    const requests: [string, object, number][] = [
      ["chat/completions", { messages, max_tokens: 1000, n: "8" }, 429],
      ["chat/completions", { messages, max_tokens: 10, n_predict: 6000 }, 429],
      ["chat/completions", { messages, Max_Tokens: 6000 }, 429],
      ["chat/completions", { messages, max_tokens: Number.MAX_SAFE_INTEGER, n: 1000 }, 429],
      ["completions", { prompt, max_tokens: 1000 }, 429],
      ["completions", { prompt: [tokens, tokens], max_tokens: 3000 }, 429],
      ["completions", { prompt, max_tokens: 100 }, 200],
      ["completions", { prompt: tokens, max_tokens: 100 }, 200],
    ]
    for (const api of ["/v1", "/openai"])
      for (const [operation, body, status] of requests) {
        const reply = await ask({ messages: undefined, ...body }, `${api}/${operation}`)
        expect([reply.status, operation, body]).toEqual([status, operation, body])
      }
  })

  it("to the price of any connection that may answer", async () => {
    const ofFirst = { connection: "env-openai-0", from: 0 }
    const priced = { ...ofFirst, input: 1, output: 10_000 }
    const stored = await gateway.call("PUT", `/api/v1/prices/${model}`, priced)
    expect(stored.body).toMatchObject(priced)
    await limit({ metric: "cost", amount: 1e6, window: "month" })
    const request = { max_tokens: 200 }
    expect(await statusesOf(request, request)).toEqual([429, 429])
    await gateway.call("POST", "/api/v1/settings", { unpriced_models: "reject" })
    // Only the connection that has a price may answer.
    expect(await statusesOf({ max_tokens: 1 }, { max_tokens: 1 })).toEqual([200, 200])
    expect(bodiesSentTo(second)).toEqual([])
    await gateway.call("POST", "/api/v1/settings", { unpriced_models: "admit" })
    await gateway.call("DELETE", `/api/v1/prices/${model}?connection=env-openai-0`)
  })

  it("in the field that Ollama reads", async () => {
    const local = { model: "llama3.2:latest", max_completion_tokens: 16 }
    expect(await statusesOf(local)).toEqual([200])
    await limit({ metric: "tokens", amount: 3000, window: "day" })
    expect((await ask(local, "/ollama/v1/chat/completions")).status).toBe(200)
    const sent = bodiesSentTo(ollama)
    expect(sent).toMatchObject([{ max_tokens: 16 }, { max_tokens: expect.any(Number) }])
  })

  it("to what workspace models add, unless the caller sends null", async () => {
    const params = { max_tokens: 10, system: "Be brief. ".repeat(200) }
    const helper = { id: "short", name: "Short", base_model_id: model, params }
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    await gateway.call("POST", "/api/v1/models/create", { ...helper, access_grants })
    await limit({ metric: "tokens", amount: 3000, window: "day" })
    expect(await statusesOf({ model: "short", max_tokens: null })).toEqual([200])
    const [sent] = [first, second].flatMap(bodiesSentTo)
    const max = expect.toSatisfy((value: unknown) => Number(value) < 1000)
    expect(sent).toMatchObject({ max_tokens: max })
  })

  it("to models without a price if an administrator wants so", async () => {
    await limit({ metric: "cost", amount: 1e9, window: "month" })
    expect(await statusesOf({})).toEqual([200])
    await gateway.call("POST", "/api/v1/settings", { unpriced_models: "reject" })
    const rejected = await ask()
    expect([rejected.status, rejected.body.error.message]).toEqual([
      403,
      expect.stringContaining(`The price of model "${model}" is unknown`),
    ])
    await gateway.call("POST", "/api/v1/settings", { unpriced_models: "admit" })
  })

  it("to what a provider reports beyond the reservation, which is marked", async () => {
    const id = await limit({ metric: "tokens", amount: 100_000, window: "day" })
    const usage = { prompt_tokens: 150_000, completion_tokens: 1, total_tokens: 150_001 }
    const message = { role: "assistant", content: "Hi" }
    const body = {
      ...{ id: "c", object: "chat.completion", created: 1, model, usage },
      choices: [{ index: 0, message, finish_reason: "stop" }],
    }
    for (const fake of [first, second])
      fake.injectFault({ kind: "status", status: 200, body }, { on: /chat/ })
    expect(await statusesOf({ max_tokens: 10 })).toEqual([200])
    for (const fake of [first, second]) fake.clearFaults()
    expect((await readUsageRecords(gateway)).at(-1)).toMatchObject({ overrun: 1 })
    const { body: listed } = await gateway.call("GET", path)
    expect(listed.items[0]).toMatchObject({ id, spent: 150_001 })
  })
})

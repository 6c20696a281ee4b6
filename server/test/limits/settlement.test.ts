import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Fault } from "../fakes/faults.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { saveFunction } from "../functions/function-client.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createChooser } from "../harness/random.ts"
import { readUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"
const models = ["gpt-fake", "gpt-filtered", "embed-fake"]
const messages = [{ role: "user", content: "one two three" }]
const input = "one two three"
const pace = { metadata: { fake_chunks: "20", fake_delay_ms: "2" } }
/** Path and body of requests in every API. */
const requests: [apiPath: string, body: object][] = [
  ["/v1/chat/completions", { model: "gpt-fake", messages, stream: true, ...pace }],
  ["/v1/chat/completions", { model: "gpt-fake", messages, max_tokens: 50 }],
  ["/v1/chat/completions", { model: "gpt-filtered", messages, stream: true, ...pace }],
  ["/v1/chat/completions", { model: "asker", messages }],
  ["/v1/chat/completions", { model: "thrower", messages }],
  ["/v1/chat/completions", { model: "gpt-fake", messages, max_tokens: 1e9 }],
  ["/v1/responses", { model: "gpt-fake", input, stream: true, ...pace }],
  ["/v1/responses", { model: "gpt-fake", input, store: false }],
  ["/v1/messages", { model: "gpt-fake", messages, max_tokens: 20, stream: true }],
  ["/v1/completions", { model: "gpt-fake", prompt: ["a", "b"], stream: true }],
  ["/v1/embeddings", { model: "embed-fake", input }],
  ["/openai/chat/completions", { model: "gpt-fake", messages, stream: true, ...pace }],
  ["/openai/responses", { model: "gpt-fake", input }],
]
const faults: Fault[] = [
  { kind: "reset" },
  { kind: "status", status: 429, body: { error: { message: "Slow down" } } },
  { kind: "status", status: 400, body: { error: { message: "No" } } },
  { kind: "break", after: 3, torn: true, by: "reset" },
  { kind: "break", after: 2, by: "end" },
  { kind: "garbage" },
  { kind: "html", status: 200 },
  { kind: "slow_headers", ms: 30 },
]

describe.each(chooseDatabases())("limits on $name", ({ createDatabase }) => {
  let providers: FakeOpenAI[]
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>

  beforeAll(async () => {
    providers = await Promise.all([1, 2].map(() => startFakeOpenAI({ models })))
    const urls = providers.map(({ url }) => url).join(";")
    gateway = await startGatewayOnDatabase(createDatabase, { OPENAI_API_BASE_URLS: urls })
    await waitForModels(gateway, models)
    await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
    for (const model of models)
      await gateway.call("PUT", `/api/v1/prices/${model}`, { input: 1000, output: 2000, from: 0 })
    const calling = `export const reply = async ({ messages }, context) =>
      (await context.chat({ model: "gpt-fake", messages })).content`
    await saveFunction(gateway, "asker", calling)
    await saveFunction(gateway, "thrower", `export const reply = () => { throw new Error("no") }`)
    const filter = `export const before = (request) => ({ ...request, max_tokens: 30 })`
    await saveFunction(gateway, "shorter", filter, { filter_models: ["gpt-filtered"] })
    user = await gateway.createUser("Eve")
  })
  afterAll(async () => {
    await gateway.stop()
    await Promise.all(providers.map((provider) => provider.close()))
  })

  const limit = async (values: object): Promise<void> => {
    const { status } = await gateway.call("POST", path, values)
    expect(status).toBe(200)
  }

  const send = async (apiPath: string, body: object, leavesAfterMs: number): Promise<void> => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), leavesAfterMs)
    const options = {
      method: "POST",
      headers: { authorization: `Bearer ${user.key}` },
      body: JSON.stringify(body),
      signal: controller.signal,
    }
    await fetch(gateway.url + apiPath, options)
      .then((response) => response.arrayBuffer())
      .catch(() => {})
    clearTimeout(timer)
  }

  it("count each request once, however it ends, and keep no slot", async () => {
    const everyone = { target: { type: "everyone" }, window: "day" }
    const ofUser = { target: { type: "user", id: user.id } }
    for (const metric of ["requests", "tokens", "cost"])
      await limit({ ...everyone, metric, amount: 1e12 })
    await limit({ ...everyone, metric: "tokens", amount: 200_000, model: "gpt-fake" })
    await limit({ ...ofUser, metric: "concurrency", amount: 6 })
    for (const id of ["env-openai-0", "env-openai-1"]) {
      const target = { type: "connection", id }
      await limit({ target, metric: "concurrency", amount: 3 })
      await limit({ target, metric: "cost", amount: 1e12, window: "month" })
    }
    const { random, chance, pick } = createChooser(7)
    const clients = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 12; round++) {
        if (chance(0.3)) pick(providers).injectFault(pick(faults), { on: /chat|resp|compl|embed/ })
        const [apiPath, body] = pick(requests)
        await send(apiPath, body, chance(0.4) ? random() * 60 : 20_000)
      }
    })
    await Promise.all(clients)
    const list = async (): Promise<{ metric: string; spent: number; reserved: number }[]> =>
      (await gateway.call("GET", path)).body.items
    const isSettled = (limits: Awaited<ReturnType<typeof list>>) =>
      limits.every(({ metric, spent, reserved }) =>
        metric === "concurrency" ? spent + reserved === 0 : reserved === 0,
      )
    await expect.poll(list).toSatisfy(isSettled)
    const records = await readUsageRecords(gateway)
    const sumOf = (read: (record: (typeof records)[number]) => number) =>
      records.reduce((total, record) => total + read(record), 0)
    const [byRequests, byTokens, byCost] = await list()
    // A function's tokens are those of the requests that it makes.
    const tokens = sumOf((one) => (one.connection_id ? one.tokens_in + one.tokens_out : 0))
    expect(byTokens?.spent).toBe(tokens)
    expect(byCost?.spent).toBe(sumOf(({ cost }) => cost ?? 0))
    const sent = records.filter(({ attempts }) => (attempts ?? 0) > 0).length
    const byFunctions = records.filter(
      ({ attempts, outcome }) => attempts === 0 && outcome !== "limited",
    )
    expect(byRequests?.spent).toBeGreaterThanOrEqual(sent)
    expect(byRequests?.spent).toBeLessThanOrEqual(sent + byFunctions.length)
  }, 60_000)
})

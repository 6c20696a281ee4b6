import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { isObject } from "../fakes/json.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"
const model = "gpt-fake"
/** In nano-dollars. */
const price = { input: 1000, output: 2000 }

describe.each(chooseDatabases())("requests under limits on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    gateway = await startGatewayOnDatabase(createDatabase, { OPENAI_API_BASE_URLS: upstream.url })
    await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
    await waitForModels(gateway, [model])
    await gateway.call("PUT", `/api/v1/prices/${model}`, { ...price, from: 0 })
    await gateway.call("PUT", "/api/v1/prices/embed-fake", { ...price, from: 0 })
    user = await gateway.createUser("Eve")
  })
  beforeEach(async () => {
    const { body } = await gateway.call("GET", `${path}?page_size=200`)
    for (const { id } of body.items) await gateway.call("DELETE", `${path}/${id}`)
    upstream.requests.length = 0
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const limit = async (values: object): Promise<string> => {
    const target = { type: "user", id: user.id }
    const { status, body } = await gateway.call("POST", path, { target, ...values })
    expect(status).toBe(200)
    return body.id
  }

  const stateOf = async (id: string) => {
    const { body } = await gateway.call("GET", path)
    return body.items.find((item: { id: string }) => item.id === id)
  }

  const messages = [{ role: "user", content: "one two three" }]
  const ask = (values: object = {}, apiPath = "/v1/chat/completions") =>
    gateway.call("POST", apiPath, { model, messages, ...values }, { key: user.key })

  const sentBodies = () =>
    upstream.requests
      .map(({ json }) => json)
      .filter((body) => isObject(body) && body.model === model)

  const lastRecord = async () => (await readUsageRecords(gateway)).at(-1)

  it("pass until the requests of a minute are used", async () => {
    await limit({ metric: "requests", amount: 2, window: "minute" })
    const first = await ask()
    expect(first.status).toBe(200)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "1",
      "x-ratelimit-reset-requests": "30s",
    })
    expect((await ask()).status).toBe(200)
    const rejected = await ask()
    expect(rejected).toMatchObject({
      status: 429,
      body: {
        error: {
          code: "rate_limit_exceeded",
          type: "rate_limit_error",
          message: expect.stringContaining("requests per minute for your account"),
        },
      },
    })
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(20)
    expect(rejected.headers.get("x-ratelimit-remaining-requests")).toBe("0")
    expect(sentBodies()).toHaveLength(2)
    const record = { outcome: "limited", status: 429, attempts: 0, tokens_in: 0, cost: 0 }
    expect(await lastRecord()).toMatchObject(record)
    // Others are not limited.
    expect((await gateway.call("POST", "/v1/chat/completions", { model, messages })).status).toBe(
      200,
    )
  })

  it("are charged what they cost, and rejected once a budget is spent", async () => {
    const id = await limit({ metric: "cost", amount: 1e6, window: "month" })
    expect((await ask({ max_tokens: 100 })).status).toBe(200)
    const record = await lastRecord()
    expect(record?.cost).toBeGreaterThan(0)
    expect(record?.overrun).toBe(0)
    // What the process holds in advance is returned when it is not used.
    await expect.poll(() => stateOf(id)).toMatchObject({ spent: record?.cost, reserved: 0 })
    const rejected = await ask({ max_tokens: 500 })
    expect(rejected).toMatchObject({
      status: 429,
      body: { error: { code: "insufficient_quota", type: "insufficient_quota" } },
    })
    expect(rejected.headers.get("x-should-retry")).toBe("false")
    await expect.poll(() => stateOf(id)).toMatchObject({ spent: record?.cost, reserved: 0 })
    await gateway.call("POST", `${path}/${id}/update`, {
      ...{ amount: record?.cost, mode: "soft" },
    })
    const spent = await ask()
    expect(spent.body.error.message).toMatch(/cost per month for your account is used up until 20/)
    expect(Number(spent.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("reserve what their service tier costs", async () => {
    const service_tiers = { priority: { output: 50_000 } }
    await gateway.call("PUT", `/api/v1/prices/${model}`, { ...price, service_tiers, from: 0 })
    await limit({ metric: "cost", amount: 1e6, window: "month" })
    const priority = { max_tokens: 100, service_tier: "priority" }
    for (const apiPath of ["/v1/chat/completions", "/openai/chat/completions"]) {
      expect((await ask(priority, apiPath)).status).toBe(429)
      expect((await ask({ max_tokens: 100 }, apiPath)).status).toBe(200)
    }
    await gateway.call("PUT", `/api/v1/prices/${model}`, { ...price, from: 0 })
  })

  it("ask for as long an answer as fits, if the client states no limit", async () => {
    await limit({ metric: "tokens", amount: 1000, window: "day" })
    expect((await ask()).status).toBe(200)
    const [sent] = sentBodies()
    const bytes = JSON.stringify({ model, messages }).length
    expect(sent).toMatchObject({ max_tokens: 1000 - bytes - 32 })
    // Enough is left for a shorter one.
    expect((await ask()).status).toBe(200)
    expect(sentBodies()[1]).toMatchObject({ max_tokens: expect.any(Number) })
  })

  it("pass beside those that ask for too much", async () => {
    await limit({ metric: "tokens", amount: 50_000, window: "day" })
    const huge = { max_tokens: Number.MAX_SAFE_INTEGER, n: 1000 }
    const sizes = Array.from({ length: 20 }, (_, index) => (index % 2 ? huge : { max_tokens: 1 }))
    const replies = await Promise.all(sizes.map((size) => ask(size)))
    const statuses = replies.map(({ status }) => status)
    expect(statuses).toEqual(sizes.map((size) => (size === huge ? 429 : 200)))
  })

  it("state their limits on every API", async () => {
    await limit({ metric: "requests", amount: 1, window: "hour" })
    const id = "x-ratelimit-limit-requests"
    expect((await ask()).headers.get(id)).toBe("1")
    const input = "one"
    const replies = [
      await ask({ input }, "/v1/responses"),
      await ask({ model: "embed-fake", input }, "/v1/embeddings"),
      await ask({ prompt: input }, "/v1/completions"),
      await ask({}, "/openai/chat/completions"),
    ]
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 429, body: { error: { code: "insufficient_quota" } } })
      expect(reply.headers.get(id)).toBe("1")
    }
    const rejected = await ask({ max_tokens: 10 }, "/v1/messages")
    expect(rejected).toMatchObject({ status: 429, body: { error: { type: "rate_limit_error" } } })
    expect(rejected.headers.get("anthropic-ratelimit-requests-limit")).toBe("1")
    expect(sentBodies()).toHaveLength(1)
  })

  it("return their slot when they end, and when the client leaves", async () => {
    await limit({ metric: "concurrency", amount: 1 })
    const controller = new AbortController()
    const slow = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.key}` },
      body: JSON.stringify({
        ...{ model, messages, stream: true },
        metadata: { fake_chunks: 1000, fake_delay_ms: 100 },
      }),
      signal: controller.signal,
    })
    expect((await slow).status).toBe(200)
    const rejected = await ask()
    expect(rejected).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limit_exceeded" } },
    })
    controller.abort()
    await expect.poll(async () => (await ask()).status).toBe(200)
    const canceled = (await readUsageRecords(gateway)).find(
      ({ outcome }) => outcome === "client_cancelled",
    )
    expect(canceled?.cost).toBeGreaterThan(0)
  })

  it("of a full connection are rejected", async () => {
    const target = { type: "connection", id: "env-openai-0" }
    const id = await limit({ target, metric: "requests", amount: 1, window: "day" })
    expect((await ask()).status).toBe(200)
    expect(await ask()).toMatchObject({
      status: 429,
      body: { error: { code: "insufficient_quota" } },
    })
    expect(await lastRecord()).toMatchObject({ outcome: "limited", cost: 0, attempts: 0 })
    expect(await stateOf(id)).toMatchObject({ spent: 1, reserved: 0 })
  })
})

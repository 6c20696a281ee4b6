import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type FakeAnthropic, startFakeAnthropic } from "../fakes/anthropic.ts"
import { serviceUnavailable } from "../fakes/faults.ts"
import type { JsonObject } from "../fakes/json.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { deleteFunctions, saveFunction } from "../functions/function-client.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminKey, startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { waitFor, waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatAnswer,
  chatChunk,
  claudeAnswer,
  clientCases,
  replyWith,
} from "./answers-with-usage.ts"

const messages = [{ role: "user", content: "Hello" }]

const gptPrice = {
  ...{ input: 3, cached_input: 0.3, cache_write: 3.75, audio_input: 10 },
  ...{ output: 15, reasoning: 7, audio_output: 20, image_output: 30, request: 100 },
  service_tiers: { flex: { input: 1.5, request: 0.5 } },
}
const gptUsage = {
  ...{ prompt_tokens: 1000, completion_tokens: 300, total_tokens: 1300 },
  prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100, audio_tokens: 50 },
  completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 40, image_tokens: 30 },
}
const gptTokens =
  600 * 0.3 + 100 * 3.75 + 50 * 10 + 250 * 3 + (192 * 7 + 40 * 20 + 30 * 30 + 38 * 15)
const gptCost = 100 + gptTokens

const claudePrice = {
  ...{ input: 3000, cached_input: 300, cache_write: 3750, cache_write_1h: 6000, output: 15_000 },
}
const claudeUsage = {
  ...{ input_tokens: 11, cache_creation_input_tokens: 556, cache_read_input_tokens: 2000 },
  cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
}
const claudeCost = 11 * 3000 + 2000 * 300 + 456 * 3750 + 100 * 6000 + 70 * 15_000

const gptAnswer = chatAnswer(gptUsage)
const answerOfClaude = claudeAnswer(claudeUsage, { output_tokens: 70 })

/** Reads until the client leaves after 50 pieces, or until the provider resets the stream. */
const readAndLeave = async (response: Response, leave: AbortController | null) => {
  let received = ""
  try {
    for await (const piece of response.body ?? []) {
      received += Buffer.from(piece).toString()
      if (received.split("more ").length > 50) leave?.abort()
    }
  } catch {
    // Either side has broken off.
  }
}

describe.each(chooseDatabases())("the cost of a request on $name", ({ createDatabase }) => {
  let openai: FakeOpenAI
  let anthropic: FakeAnthropic
  let ollama: FakeOllama
  let gateway: TestGateway

  beforeAll(async () => {
    openai = await startFakeOpenAI({ models: ["gpt-fake", "embed-fake", "free-fake"] })
    anthropic = await startFakeAnthropic()
    ollama = await startFakeOllama()
    gateway = await startGatewayOnDatabase(createDatabase, {
      ...{ OPENAI_API_BASE_URLS: openai.url, OLLAMA_BASE_URLS: ollama.origin },
      ...{ ANTHROPIC_BASE_URL: anthropic.origin, ANTHROPIC_API_KEY: "anthropic-key" },
      ENABLE_OPENAI_PROXY: "true",
    })
    await waitForModels(gateway, ["gpt-fake", "claude-fake", "llama3.2:latest"])
    await setPrice("gpt-fake", gptPrice)
    await setPrice("claude-fake", claudePrice)
    await setPrice("embed-fake", { input: 20.5, output: 0 })
    // Nobody answers as this model: a workspace model and a function have its id.
    for (const id of ["helper", "echo"]) await setPrice(id, { input: 1e9, output: 1e9 })
  })
  afterEach(() => {
    openai.clearFaults()
    anthropic.reset()
  })
  afterAll(async () => {
    await gateway.stop()
    await Promise.all([openai, anthropic, ollama].map((fake) => fake.close()))
  })

  const setPrice = async (model: string, price: object) => {
    const path = `/api/v1/prices/${encodeURIComponent(model)}`
    const { status, body } = await gateway.call("PUT", path, { from: 0, ...price })
    expect([status, body]).toEqual([200, expect.anything()])
  }

  const send = async (path: string, body: JsonObject) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body: JSON.stringify(body),
    })
    await response.text()
    return waitForUsageRecords(gateway, response.headers.get("x-request-id") ?? "")
  }
  const recordOf = async (path: string, body: JsonObject) => {
    const [record, ...others] = await send(path, body)
    if (!record || others.length > 0) throw new Error("There should be one record")
    return record
  }
  const ask = (path: string, model: string, stream: boolean) =>
    recordOf(path, {
      ...{ model, stream },
      ...(path.endsWith("responses") ? { input: "Hello" } : { messages, max_tokens: 99 }),
    })
  const answerAsGpt = (stream = false): void => {
    openai.injectFault({ kind: "status", status: 404 }, { on: /responses/ })
    openai.injectFault(replyWith(gptAnswer, stream), { on: /chat/ })
  }

  it.each(clientCases)(
    "is that of a chat model's tokens (%s, stream: %s)",
    async (path, stream) => {
      answerAsGpt(stream)
      const { cost, overrun } = await ask(path, "gpt-fake", stream)
      expect([cost, overrun]).toEqual([gptCost, null])
    },
  )

  it.each(clientCases)("is that of Claude's tokens (%s, stream: %s)", async (path, stream) => {
    anthropic.injectFault(replyWith(answerOfClaude, stream), { on: /messages/ })
    expect(await ask(path, "claude-fake", stream)).toMatchObject({ cost: claudeCost })
  })

  it("is that of an embedding's input", async () => {
    const record = await recordOf("/v1/embeddings", { model: "embed-fake", input: "a b c d e" })
    expect(record.tokens_in).toBeGreaterThan(0)
    expect(record).toMatchObject({ cost: Math.ceil(record.tokens_in * 20.5) })
  })

  it("is that of a request through the provider's native API", async () => {
    answerAsGpt()
    const record = await recordOf("/openai/chat/completions", { model: "gpt-fake", messages })
    expect(record).toMatchObject({ cost: gptCost })
  })

  it("is that of the hours that a local model takes", async () => {
    // Two dollars per hour, in the runtime's native API and in another.
    await setPrice("llama3.2:latest", { gpu_hour: 2e9 })
    const body = { model: "llama3.2:latest", messages }
    ollama.pace.delayMs = 20
    for (const path of ["/ollama/api/chat", "/v1/chat/completions"]) {
      const { cost, duration_ms } = await recordOf(path, body)
      expect(duration_ms).toBeGreaterThan(0)
      expect(cost).toBe(Math.ceil((2e9 * duration_ms) / 3_600_000))
    }
    ollama.pace.delayMs = 0
  })

  it("is that of the service tier", async () => {
    answerAsGpt()
    const body = { model: "gpt-fake", messages, service_tier: "flex" }
    expect(await recordOf("/v1/chat/completions", body)).toMatchObject({
      cost: Math.ceil(gptTokens - 250 * 1.5 + 0.5),
    })
  })

  it("is that of a workspace model's base, whatever the price of its id", async () => {
    await gateway.call("POST", "/api/v1/models/create", {
      ...{ id: "helper", name: "Helper", base_model_id: "gpt-fake" },
    })
    answerAsGpt()
    const record = await ask("/v1/chat/completions", "helper", false)
    expect(record).toMatchObject({ model: "helper", cost: gptCost })
  })

  it("is that of the connection which answers after a failover", async () => {
    const other = await startFakeOpenAI({ models: ["free-fake"] })
    const { body: added } = await gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Other", base_url: other.url },
    })
    await waitFor(async () => gateway.gateway.registry.endpoints().get("free-fake")?.length === 2)
    await setPrice("free-fake", { connection: "env-openai-0", input: 1e6, output: 1e6 })
    await setPrice("free-fake", { connection: added.id, request: 42 })
    openai.injectFault(serviceUnavailable, { on: /chat/ })
    const records = []
    for (let n = 0; n < 4; n++) {
      records.push(await ask("/v1/chat/completions", "free-fake", false))
    }
    expect(records.map(({ attempts }) => attempts)).toContain(2)
    for (const { attempts, connection_id, cost, tokens_in, tokens_out } of records) {
      if (attempts === 2) expect(connection_id).toBe(added.id)
      expect(cost).toBe(connection_id === added.id ? 42 : 1e6 * (tokens_in + tokens_out))
    }
    await gateway.call("DELETE", `/api/v1/connections/${added.id}`)
    await gateway.call("DELETE", "/api/v1/prices/free-fake")
    await other.close()
  })

  it("is that of the model's id if the connection has a prefix", async () => {
    const { body: added } = await gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Prefixed", base_url: openai.url, id_prefix: "lab" },
    })
    await waitForModels(gateway, ["lab.gpt-fake"])
    answerAsGpt()
    expect(await ask("/v1/messages", "lab.gpt-fake", false)).toMatchObject({ cost: gptCost })
    await setPrice("lab.gpt-fake", { request: 7 })
    expect(await ask("/v1/messages", "lab.gpt-fake", false)).toMatchObject({ cost: 7 })
    answerAsGpt()
    expect(await ask("/v1/messages", "gpt-fake", false)).toMatchObject({ cost: gptCost })
    await gateway.call("DELETE", `/api/v1/connections/${added.id}`)
  })

  it.each([400, 401, 429, 500])("is nothing if the provider answers with %s", async (status) => {
    openai.injectFault({ kind: "status", status }, { on: /chat/ })
    const record = await ask("/v1/chat/completions", "gpt-fake", false)
    expect(record).toMatchObject({ cost: 0, tokens_in: 0, tokens_out: 0 })
    expect(record.outcome).not.toBe("ok")
  })

  it.each(["provider", "client"])("is that of what was sent if the %s breaks off", async (by) => {
    const text = { index: 0, delta: { content: "more " }, finish_reason: null }
    const usage = { prompt_tokens: 1000, completion_tokens: 0 }
    const body = chatChunk({ choices: [], usage }) + chatChunk({ choices: [text] }).repeat(50)
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    const framed = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`
    const steps = [`${head}transfer-encoding: chunked\r\n\r\n`, framed, 50]
    const ends = by === "provider" ? "reset" : "open"
    openai.injectFault({ kind: "raw", steps, ends }, { on: /chat/ })
    const leave = new AbortController()
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body: JSON.stringify({ model: "gpt-fake", messages, stream: true }),
      signal: leave.signal,
    })
    await readAndLeave(response, by === "client" ? leave : null)
    const id = response.headers.get("x-request-id") ?? ""
    const [record] = await waitForUsageRecords(gateway, id)
    if (!record) throw new Error("There is no record")
    expect(record).toMatchObject({ tokens_in: 1000, estimated: 1 })
    expect(record.tokens_out).toBeGreaterThanOrEqual(50)
    expect(record.cost).toBe(100 + 3 * 1000 + 15 * record.tokens_out)
  })

  it("is nothing for a function, and that of its requests for models", async () => {
    await saveFunction(gateway, "echo", 'export const reply = () => "Hi"')
    const echo = await ask("/v1/chat/completions", "echo", false)
    expect(echo).toMatchObject({ cost: 0 })
    expect(echo.tokens_out).toBeGreaterThan(0)

    const calling = `export const reply = async ({ messages }, context) => {
      const { content } = await context.chat({ model: "gpt-fake", messages })
      return content + "!"
    }`
    await saveFunction(gateway, "asker", calling)
    answerAsGpt()
    const records = await waitFor(async () => {
      const found = await send("/v1/chat/completions", { model: "asker", messages })
      return found.length === 2 && found
    })
    expect(Object.fromEntries(records.map(({ model, cost }) => [model, cost]))).toEqual({
      "gpt-fake": gptCost,
      asker: 0,
    })
    await deleteFunctions(gateway)
  })

  it("is that of the model behind a filter, and nothing if the filter rejects", async () => {
    const content = `export const before = (request) => {
      if (request.messages.at(-1).content === "No") throw new Error("Not this")
      return request
    }`
    await saveFunction(gateway, "guard", content, { filter_models: ["gpt-fake"] })
    answerAsGpt()
    expect(await ask("/v1/chat/completions", "gpt-fake", false)).toMatchObject({ cost: gptCost })
    const rejected = { model: "gpt-fake", messages: [{ role: "user", content: "No" }] }
    expect(await recordOf("/v1/chat/completions", rejected)).toMatchObject({ cost: 0 })
    await deleteFunctions(gateway)
  })

  it("is not known without a price, and stays as it was when the price changes", async () => {
    const path = "/api/v1/usage?group_by=model&model=free-fake"
    const noTotal = { requests: 0, cost: 0, unpriced: 0 }
    const totalOf = async () => (await gateway.call("GET", path)).body.items[0] ?? noTotal
    const before = await totalOf()
    const askFree = () => ask("/v1/chat/completions", "free-fake", false)
    expect(await askFree()).toMatchObject({ cost: null })
    await setPrice("free-fake", { request: 5 })
    expect(await askFree()).toMatchObject({ cost: 5 })
    await setPrice("free-fake", { request: 0 })
    expect(await askFree()).toMatchObject({ cost: 0 })
    const { requests, cost, unpriced } = await totalOf()
    expect([requests, cost, unpriced]).toEqual([
      before.requests + 3,
      before.cost + 5,
      before.unpriced + 1,
    ])
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type FakeAnthropic, startFakeAnthropic } from "../fakes/anthropic.ts"
import { serviceUnavailable } from "../fakes/faults.ts"
import type { JsonObject } from "../fakes/json.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { deleteFunctions, saveFunction } from "../functions/function-client.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { chatAnswer, claudeAnswer, clientCases, replyWith } from "./answers-with-usage.ts"

const messages = [{ role: "user", content: "Hello" }]

const chatUsage = {
  ...{ prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306 },
  prompt_tokens_details: { cached_tokens: 1900, cache_write_tokens: 60, audio_tokens: 50 },
  completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 40, image_tokens: 30 },
}
const chatCounts = {
  ...{ tokens_in: 2006, tokens_out: 300, tokens_cache_read: 1900, tokens_cache_write: 60 },
  ...{ tokens_cache_write_1h: 0, tokens_reasoning: 192, tokens_audio_in: 50 },
  ...{ tokens_audio_out: 40, tokens_image_in: 0, tokens_image_out: 30, estimated: 0 },
}
const claudeUsage = {
  ...{ input_tokens: 11, cache_creation_input_tokens: 556, cache_read_input_tokens: 2000 },
  cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
}
const claudeCounts = {
  ...{ tokens_in: 2567, tokens_out: 70, tokens_cache_read: 2000, tokens_cache_write: 556 },
  ...{ tokens_cache_write_1h: 100, tokens_reasoning: 50, estimated: 0 },
}
const claudeOutput = { output_tokens: 70, output_tokens_details: { thinking_tokens: 50 } }

const chat = chatAnswer(chatUsage)
const claude = claudeAnswer(claudeUsage, claudeOutput)
const clientPaths = [...new Set(clientCases.map(([path]) => path))]

describe("a usage record", () => {
  let openai: FakeOpenAI
  let second: FakeOpenAI
  let anthropic: FakeAnthropic
  let ollama: FakeOllama
  let gateway: TestGateway

  beforeAll(async () => {
    openai = await startFakeOpenAI({ models: ["gpt-fake", "embed-fake"] })
    second = await startFakeOpenAI({ models: ["gpt-fake"] })
    anthropic = await startFakeAnthropic()
    ollama = await startFakeOllama()
    gateway = await startGateway({
      ...{ OPENAI_API_BASE_URLS: openai.url, OLLAMA_BASE_URLS: ollama.origin },
      ...{ ANTHROPIC_BASE_URL: anthropic.origin, ANTHROPIC_API_KEY: "anthropic-key" },
      ENABLE_OPENAI_PROXY: "true",
    })
    await waitForModels(gateway, ["gpt-fake", "claude-fake", "llama3.2:latest"])
  })
  afterEach(() => {
    for (const fake of [openai, second]) fake.clearFaults()
    anthropic.reset()
  })
  afterAll(async () => {
    await gateway.stop()
    await Promise.all([openai, second, anthropic, ollama].map((fake) => fake.close()))
  })

  const recordOf = async (path: string, body: JsonObject, key = adminKey) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect([response.status, text]).toEqual([200, expect.anything()])
    const [record, ...others] = await waitForUsageRecords(
      gateway,
      response.headers.get("x-request-id") ?? "",
    )
    expect(others).toEqual([])
    if (!record) throw new Error("There is no record")
    return record
  }

  const ask = (path: string, model: string, stream: boolean) =>
    recordOf(path, {
      ...{ model, stream },
      ...(path.endsWith("responses") ? { input: "Hello" } : { messages, max_tokens: 99 }),
    })

  /** As most servers with OpenAI's API do; their answers are converted. */
  const lackResponses = (): void =>
    openai.injectFault({ kind: "status", status: 404 }, { on: /responses/ })

  it.each(clientCases)(
    "has a chat model's tokens by kind (%s, stream: %s)",
    async (path, stream) => {
      lackResponses()
      openai.injectFault(replyWith(chat, stream), { on: /chat/ })
      expect(await ask(path, "gpt-fake", stream)).toMatchObject(chatCounts)
    },
  )

  it.each(clientCases)("has Claude's tokens by kind (%s, stream: %s)", async (path, stream) => {
    anthropic.injectFault(replyWith(claude, stream), { on: /messages/ })
    expect(await ask(path, "claude-fake", stream)).toMatchObject(claudeCounts)
  })

  it("has the tokens by kind of a large answer, which a thread converts", async () => {
    const text = "word ".repeat(400_000)
    const large = JSON.stringify({ ...JSON.parse(claude.body), content: [{ type: "text", text }] })
    anthropic.injectFault(replyWith({ ...claude, body: large }, false), { on: /messages/ })
    expect(await ask("/v1/responses", "claude-fake", false)).toMatchObject(claudeCounts)
  })

  it("has the tokens by kind of an answer with a huge usage", async () => {
    const members = Array.from({ length: 900_000 }, () => ({ a: 1 }))
    const usage = { ...chatUsage, members }
    lackResponses()
    openai.injectFault(replyWith(chatAnswer(usage), false), { on: /chat/ })
    expect(await ask("/v1/responses", "gpt-fake", false)).toMatchObject(chatCounts)
  })

  it.each(clientPaths)("counts reasoning that only the total contains (%s)", async (path) => {
    const usage = {
      ...{ prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 },
      completion_tokens_details: { reasoning_tokens: 94 },
    }
    lackResponses()
    openai.injectFault(replyWith(chatAnswer(usage), false), { on: /chat/ })
    expect(await ask(path, "gpt-fake", false)).toMatchObject({
      ...{ tokens_in: 32, tokens_out: 103, tokens_reasoning: 94 },
    })
  })

  it.each(clientCases)("has what a filter hides (%s, stream: %s)", async (path, stream) => {
    const content = `export const after = ({ choices }) => ({ choices })`
    await saveFunction(gateway, "quiet", content, { filter_models: ["gpt-fake"] })
    lackResponses()
    openai.injectFault(replyWith(chat, stream), { on: /chat/ })
    const { estimated, ...counts } = chatCounts
    expect(await ask(path, "gpt-fake", stream)).toMatchObject(counts)
    await deleteFunctions(gateway)
  })

  it("has the tier that a filter asks for, and none that the provider is not sent", async () => {
    const content = `export const before = (request) => ({ ...request, service_tier: "flex" })`
    await saveFunction(gateway, "thrifty", content, { filter_models: ["gpt-fake"] })
    expect(await ask("/v1/chat/completions", "gpt-fake", false)).toMatchObject({
      service_tier: "flex",
    })
    await deleteFunctions(gateway)
    const priority = { service_tier: "priority", messages, max_tokens: 9 }
    const tierOf = async (path: string, body: JsonObject) =>
      (await recordOf(path, body)).service_tier
    expect(await tierOf("/v1/chat/completions", { ...priority, model: "claude-fake" })).toBeNull()
    expect(await tierOf("/v1/chat/completions", { ...priority, model: "gpt-fake" })).toBe(
      "priority",
    )
  })

  it("has the connection that answered, its name of the model, and the attempts", async () => {
    const { body: added } = await gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Second", base_url: second.url },
    })
    await gateway.call("POST", "/api/v1/models/create", {
      ...{ id: "helper", name: "Helper", base_model_id: "gpt-fake" },
      params: { service_tier: "flex" },
    })
    openai.injectFault(serviceUnavailable, { on: /chat/ })
    const records = await Promise.all(
      Array.from({ length: 4 }, () => ask("/v1/chat/completions", "helper", false)),
    )
    for (const record of records)
      expect(record).toMatchObject({
        ...{ model: "helper", upstream_model: "gpt-fake", service_tier: "flex" },
      })
    expect(records.map(({ attempts }) => attempts)).toContain(2)
    const retried = records.filter(({ attempts }) => attempts === 2)
    for (const { connection_id } of retried) expect(connection_id).toBe(added.id)
    await gateway.call("DELETE", `/api/v1/connections/${added.id}`)
  })

  it("has the connection's own name of a model with a prefix", async () => {
    const { body: added } = await gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Prefixed", base_url: second.url, id_prefix: "lab" },
    })
    await waitForModels(gateway, ["lab.gpt-fake"])
    for (const path of ["/v1/chat/completions", "/openai/chat/completions"])
      expect(await recordOf(path, { model: "lab.gpt-fake", messages })).toMatchObject({
        ...{ model: "lab.gpt-fake", upstream_model: "gpt-fake", attempts: 1 },
        ...{ connection_id: added.id, service_tier: null },
      })
    const passed = { model: "lab.gpt-fake", input: "Hello", service_tier: "priority" }
    expect(await recordOf("/v1/responses", passed)).toMatchObject({ service_tier: "priority" })
  })

  it("has the tier that a native request asks for, but not a provider's default", async () => {
    const tierOf = async (service_tier: string) =>
      (
        await recordOf("/openai/chat/completions", {
          ...{ model: "gpt-fake", messages, service_tier },
        })
      ).service_tier
    expect(await tierOf("priority")).toBe("priority")
    expect(await tierOf("auto")).toBeNull()
    expect(await tierOf("x".repeat(1000))).toBeNull()
  })

  it("has the tokens of the runtime's native API, and none of their kinds", async () => {
    const body = { model: "llama3.2:latest", messages }
    const record = await recordOf("/ollama/api/chat", body)
    expect(record).toMatchObject({
      ...{ upstream_model: "llama3.2:latest", attempts: 1, estimated: 0 },
      ...{ tokens_cache_read: 0, tokens_reasoning: 0 },
    })
    expect(record.tokens_in).toBeGreaterThan(0)
  })

  it("has no connection and no attempts if a function answers", async () => {
    await saveFunction(gateway, "echo", 'export const reply = () => "Hi"')
    expect(await ask("/v1/chat/completions", "echo", false)).toMatchObject({
      ...{ model: "echo", upstream_model: null, connection_id: null, attempts: 0 },
    })
    await deleteFunctions(gateway)
  })

  it("has the group that pays: the member's first one", async () => {
    const carla = await gateway.createUser("Carla")
    const groupOf = async () =>
      (await recordOf("/v1/chat/completions", { model: "gpt-fake", messages }, carla.key)).group_id
    const join = async (name: string): Promise<string> => {
      const { body } = await gateway.call("POST", "/api/v1/groups/create", { name })
      const joined = await gateway.call("POST", `/api/v1/groups/${body.id}/members/add`, {
        user_ids: [carla.id],
      })
      expect(joined.status).toBe(200)
      return body.id
    }
    expect(await groupOf()).toBeNull()
    const first = await join("First")
    expect(await groupOf()).toBe(first)
    const another = await join("Another")
    expect(await groupOf()).toBe(first)

    const { body } = await gateway.call("GET", "/api/v1/usage?group_by=group")
    expect(body.items).toContainEqual(
      expect.objectContaining({ key: first, name: "First", requests: 2, attempts: 2 }),
    )
    const filtered = await gateway.call("GET", `/api/v1/usage?group_by=user&group_id=${first}`)
    expect(filtered.body.items).toEqual([expect.objectContaining({ name: "Carla", requests: 2 })])

    const setPays = async (id: string, pays: boolean) => {
      const updated = await gateway.call("POST", `/api/v1/groups/${id}/update`, { pays })
      expect(updated.body).toMatchObject({ id, pays })
    }
    await setPays(first, false)
    expect(await groupOf()).toBe(another)
    await setPays(another, false)
    expect(await groupOf()).toBeNull()
    await setPays(first, true)
    expect(await groupOf()).toBe(first)
    const events = await gateway.call("GET", `/api/v1/audit?target_id=${first}&limit=1`)
    expect(events.body.items[0]).toMatchObject({
      ...{ action: "group.updated", changed: ["pays"] },
      ...{ before: { pays: false }, after: { pays: true } },
    })
  })
})

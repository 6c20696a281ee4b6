import type OpenAI from "openai"
import { RateLimitError } from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import type { FakeAnthropic } from "../fakes/anthropic.ts"
import { collectItems } from "../fakes/collect.ts"
import { adminKey, type TestGateway } from "../harness/gateway.ts"
import { waitFor, waitForUsageRecords } from "../harness/usage-records.ts"
import { messages, model, startAnthropicTestbed, weather } from "./anthropic-testbed.ts"

let upstream: FakeAnthropic
let gateway: TestGateway
let client: OpenAI

beforeAll(async () => {
  const testbed = await startAnthropicTestbed()
  upstream = testbed.upstream
  gateway = testbed.gateway
  client = testbed.client
})
afterEach(() => {
  upstream.clearFaults()
  upstream.reply = "text"
  upstream.streamEnd = "complete"
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const usageOf = async (response: Response) =>
  (await waitForUsageRecords(gateway, response.headers.get("x-request-id") ?? ""))[0]

const streamed = async (more: object = {}) => {
  const chunks = await collectItems(
    await client.chat.completions.create({ model, messages, stream: true, ...more }),
  )
  const deltas = chunks.flatMap(({ choices }) => choices)
  const textOf = (name: string) =>
    deltas.map(({ delta }) => Reflect.get(delta, name) ?? "").join("")
  return { chunks, deltas, content: textOf("content"), reasoning: textOf("reasoning_content") }
}

describe("models of Anthropic", () => {
  it("are listed with what the provider says about them", async () => {
    const listed = await gateway.call("GET", "/api/v1/models")
    expect(listed.body.data).toContainEqual(
      expect.objectContaining({
        id: model,
        owned_by: "anthropic",
        connection_type: "external",
        context_length: 200_000,
        capabilities: { completion: true, tools: true, vision: true, thinking: true },
      }),
    )
  })

  it("answer chat completions, with cached tokens in the usage", async () => {
    const { data, response } = await client.chat.completions
      .create({ model, messages })
      .withResponse()
    expect(data).toMatchObject({
      object: "chat.completion",
      model: "claude-fake-20260204",
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", content: "Hello there." },
        },
      ],
      usage: {
        prompt_tokens: 2111,
        completion_tokens: 7,
        total_tokens: 2118,
        prompt_tokens_details: { cached_tokens: 2000 },
      },
    })
    expect(await usageOf(response)).toMatchObject({
      tokens_in: 2111,
      tokens_out: 7,
      estimated: 0,
      outcome: "ok",
      connection_id: "env-anthropic-0",
    })
  })

  it("stream, with reasoning and usage", async () => {
    upstream.reply = "thinking"
    const { chunks, deltas, content, reasoning } = await streamed({
      stream_options: { include_usage: true },
    })
    expect(content).toBe("Hello there.")
    expect(reasoning).toBe("A greeting.")
    expect(deltas.at(-1)?.finish_reason).toBe("stop")
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 2111, completion_tokens: 7 })
  })

  it("stream without usage unless it was requested", async () => {
    const { chunks } = await streamed()
    expect(chunks.filter(({ usage }) => usage)).toEqual([])
  })

  it("call tools, in one piece and streamed", async () => {
    upstream.reply = "tools"
    const calls = [
      ["toolu_1", "weather", { city: "Lima", days: [1, 2] }],
      ["toolu_2", "now", {}],
    ]
    const { choices } = await client.chat.completions.create({ model, messages, tools: [weather] })
    const [choice] = choices
    expect(choice?.finish_reason).toBe("tool_calls")
    expect(
      choice?.message.tool_calls?.map((call) =>
        call.type === "function"
          ? [call.id, call.function.name, JSON.parse(call.function.arguments)]
          : call,
      ),
    ).toEqual(calls)

    const runner = client.chat.completions.stream({ model, messages, tools: [weather] })
    const final = await runner.finalChatCompletion()
    expect(
      final.choices[0]?.message.tool_calls?.map((call) =>
        call.type === "function"
          ? [call.id, call.function.name, JSON.parse(call.function.arguments)]
          : call,
      ),
    ).toEqual(calls)
  })

  it("answer in chats", async () => {
    upstream.reply = "thinking"
    const chats = createChatClient(gateway, adminKey)
    const id = await chats.createChat({ models: [model] })
    await chats.call("POST", `/${id}/messages`, { content: "Hello" })
    const message = await waitFor(async () => {
      const last = (await chats.call("GET", `/${id}`)).body.messages.at(-1)
      return last.state !== "running" && last
    })
    expect(message).toMatchObject({
      content: "Hello there.",
      reasoning: "A greeting.",
      state: "completed",
    })
  })
})

describe("an error of Anthropic", () => {
  const failWith = (status: number, type: string, message: string) =>
    upstream.injectFault(
      {
        kind: "status",
        status,
        headers: { "content-type": "application/json", "retry-after": "7" },
        body: { type: "error", error: { type, message } },
      },
      { on: /messages/ },
    )

  it("has OpenAI's format", async () => {
    failWith(400, "invalid_request_error", "messages: too long")
    const refused = client.chat.completions.create({ model, messages })
    await expect(refused).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: "400 messages: too long",
    })
    failWith(429, "rate_limit_error", "Slow down.")
    const limited = await client.chat.completions.create({ model, messages }).catch((e) => e)
    expect(limited).toBeInstanceOf(RateLimitError)
    expect(limited.headers.get("retry-after")).toBe("7")
    failWith(529, "overloaded_error", "Overloaded")
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 529,
      type: "overloaded_error",
    })
  })

  it("within a stream reaches the client", async () => {
    upstream.streamEnd = "error"
    await expect(streamed()).rejects.toThrow("Overloaded")
  })

  it("is reported if a stream has no end", async () => {
    upstream.streamEnd = "missing"
    await expect(streamed()).rejects.toThrow("ended its response prematurely")
  })

  it("tells an administrator that the key is wrong", async () => {
    const tested = await gateway.call("POST", "/api/v1/connections/test", {
      kind: "anthropic",
      name: "Anthropic",
      base_url: upstream.origin,
      api_key: "wrong",
    })
    expect(tested.body).toMatchObject({
      ok: false,
      message: `${upstream.origin} rejected the API key (status 401). Check the key.`,
    })
    const misplaced = await gateway.call("POST", "/api/v1/connections/test", {
      kind: "anthropic",
      name: "Anthropic",
      base_url: `${upstream.origin}/v1`,
      api_key: "anthropic-key",
    })
    expect(misplaced.body.message).toContain("Use the base URL without /v1.")
  })
})

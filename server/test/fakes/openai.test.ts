import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { maxDelayMs } from "../harness/timing.ts"
import { collectItems } from "./collect.ts"
import { type FakeOpenAI, startFakeOpenAI } from "./openai.ts"

describe("the fake OpenAI provider", () => {
  let fake: FakeOpenAI
  let client: OpenAI
  const hello = { model: "gpt-fake", messages: [{ role: "user" as const, content: "hello there" }] }
  const weather = {
    type: "function" as const,
    function: {
      name: "weather",
      parameters: {
        type: "object",
        properties: { city: { type: "string" }, days: { type: "integer" } },
      },
    },
  }

  beforeAll(async () => {
    fake = await startFakeOpenAI({ apiKey: "sk-right" })
    client = new OpenAI({ baseURL: fake.url, apiKey: "sk-right", maxRetries: 0 })
  })
  afterAll(() => fake.close())

  it("lists and retrieves models", async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id)
    expect(ids).toEqual(["gpt-fake", "gpt-reason-fake", "embed-fake"])
    expect(await client.models.retrieve("gpt-fake")).toMatchObject({ object: "model" })
  })

  it("echoes the user's message, with usage and unknown request fields", async () => {
    const reply = await client.chat.completions.create({ ...hello, store: true })
    expect(reply.choices[0]?.message.content).toBe("You said: hello there")
    expect(reply.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 })
    expect(reply).toMatchObject({ x_echo: { store: true } })
    expect(fake.requests.at(-1)?.json).toEqual({ ...hello, store: true })
  })

  it("streams the requested number of pieces, with usage last", async () => {
    const stream = await client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
      metadata: { fake_chunks: "20" },
    })
    const chunks = await collectItems(stream)
    const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.content || [])
    expect(pieces).toHaveLength(20)
    expect(pieces.join("")).toMatch(/^You said: hello there word1 .* word16$/)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 20 } })
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
  })

  it("calls a tool, streams its arguments in pieces, and uses its result", async () => {
    const stream = client.chat.completions.stream({ ...hello, tools: [weather] })
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {}
    expect(finish_reason).toBe("tool_calls")
    const call = message?.tool_calls?.[0]
    expect(call).toMatchObject({
      function: { name: "weather", arguments: '{"city":"hello there","days":1}' },
    })
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "Sunny" }
    const requested = { role: "assistant" as const, tool_calls: message?.tool_calls ?? [] }
    const reply = await client.chat.completions.create({
      ...hello,
      tools: [weather],
      messages: [...hello.messages, requested, result],
    })
    expect(reply.choices[0]?.message.content).toBe("The tool said: Sunny")
  })

  it("returns JSON, log probabilities, reasoning and several choices, and counts images", async () => {
    const schema = { type: "object", properties: { answer: { type: "string" } } }
    const { choices } = await client.chat.completions.create({
      ...hello,
      model: "gpt-reason-fake",
      n: 2,
      logprobs: true,
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
    })
    expect(choices).toHaveLength(2)
    expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual({
      answer: "You said: hello there",
    })
    expect(choices[0]?.message).toMatchObject({ reasoning_content: "Thinking about: hello there" })
    expect(choices[0]?.logprobs?.content?.[0]).toMatchObject({ logprob: -0.25 })
    const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,AA==" } }
    const text = { type: "text" as const, text: "What is it?" }
    const seen = await client.chat.completions.create({
      ...hello,
      messages: [{ role: "user", content: [text, image, image] }],
    })
    expect(seen.choices[0]?.message.content).toBe("I see 2 images. You said: What is it?")
  })

  it("implements the Completions, Responses and Embeddings APIs", async () => {
    const done = await client.completions.create({
      model: "gpt-fake",
      prompt: "once",
      max_tokens: 2,
    })
    expect(done.choices[0]).toMatchObject({ text: "You said:", finish_reason: "length" })
    expect((await client.responses.create({ model: "gpt-fake", input: "hi" })).output_text).toBe(
      "You said: hi",
    )
    const events = await collectItems(
      await client.responses.create({ model: "gpt-fake", input: "hi", stream: true }),
    )
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      ...Array(3).fill("response.output_text.delta"),
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    const ask = { model: "embed-fake", input: ["a cat", "a dog"] }
    const packed = await client.embeddings.create(ask)
    const plain = await client.embeddings.create({ ...ask, encoding_format: "float" })
    expect(fake.requests.at(-2)?.json).toMatchObject({ encoding_format: "base64" })
    expect(packed.data).toEqual(plain.data)
  })

  it("returns the same errors as OpenAI", async () => {
    const other = new OpenAI({ baseURL: fake.url, apiKey: "sk-wrong-key", maxRetries: 0 })
    await expect(other.models.list()).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    })
    await expect(
      client.chat.completions.create({ ...hello, model: "nobody" }),
    ).rejects.toMatchObject({ status: 404, code: "model_not_found" })
    await expect(
      client.post("/chat/completions", { body: { model: "gpt-fake" } }),
    ).rejects.toMatchObject({
      status: 400,
      param: "messages",
    })
    await expect(client.post("/nowhere")).rejects.toMatchObject({ status: 404 })
    await expect(client.get("/chat/completions")).rejects.toMatchObject({ status: 405 })
  })

  it.each([true, false])("notices when the client disconnects (stream: %s)", async (stream) => {
    const aborting = new AbortController()
    const { signal } = aborting
    const arrived = fake.nextRequest(/chat/)
    const metadata = { fake_chunks: "400", fake_delay_ms: "50" }
    const pendingRequest = client.chat.completions.create(
      { ...hello, stream, metadata },
      { signal },
    )
    const outcome = pendingRequest.catch((error: unknown) => error)
    const request = await arrived
    if (stream) await outcome
    expect(request.abortedAt).toBeUndefined()
    const before = Date.now()
    aborting.abort()
    expect((await request.aborted) - before).toBeLessThan(maxDelayMs)
    await outcome
  })
})

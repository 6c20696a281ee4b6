import { createHash } from "node:crypto"
import { Ollama } from "ollama"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { maxDelayMs } from "../harness/timing.ts"
import { collectItems } from "./collect.ts"
import { type FakeOllama, startFakeOllama } from "./ollama.ts"

describe("the fake Ollama", () => {
  let fake: FakeOllama
  let client: Ollama
  let openai: OpenAI
  const model = "llama3.2"
  const messages = [{ role: "user", content: "a < b" }]
  const weather = {
    type: "function" as const,
    function: {
      name: "weather",
      description: "",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  }

  beforeAll(async () => {
    fake = await startFakeOllama()
    client = new Ollama({ host: fake.url })
    openai = new OpenAI({ baseURL: `${fake.url}/v1`, apiKey: "any", maxRetries: 0 })
  })
  afterAll(() => fake.close())

  it("reports its status, version, models, and loaded models", async () => {
    expect(await (await fetch(fake.url)).text()).toBe("Ollama is running")
    expect((await fetch(fake.url, { method: "HEAD" })).status).toBe(200)
    expect(await client.version()).toEqual({ version: "0.12.6" })
    const { models } = await client.list()
    expect(models[0]).toMatchObject({ name: "llama3.2:latest", details: { format: "gguf" } })
    expect((await client.ps()).models).toEqual([])
    fake.load("qwen3:4b")
    expect((await client.ps()).models[0]).toMatchObject({
      model: "qwen3:4b",
      size_vram: 2_019_393_189,
    })
    const shown = await client.show({ model: "nomic-embed-text" })
    expect(shown.model_info).toMatchObject({
      "general.architecture": "nomic-bert",
      "nomic-bert.context_length": 2048,
    })
  })

  it("generates text, streamed and in one piece", async () => {
    const parts = await collectItems(await client.generate({ model, prompt: "hi", stream: true }))
    expect(parts.map(({ response }) => response)).toEqual(["You", " said:", " hi", ""])
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: "stop", eval_count: 3 })
    const whole = await client.generate({ model: "qwen3:4b", prompt: "hi", think: true })
    expect(whole).toMatchObject({ response: "You said: hi", thinking: "Thinking about: hi" })
    expect(await client.generate({ model, prompt: "", keep_alive: 0 })).toMatchObject({
      done_reason: "unload",
    })
    expect((await client.ps()).models.map(({ name }) => name)).toEqual(["qwen3:4b"])
  })

  it("supports tools and JSON in chats, and escapes JSON as Go does", async () => {
    const requested = await client.chat({ model, messages, tools: [weather] })
    expect(requested.message.tool_calls).toMatchObject([
      { function: { name: "weather", arguments: { city: "a < b" } } },
    ])
    expect(fake.requests.at(-1)?.sent.body.toString()).toContain('"a \\u003c b"')
    const turns = [
      ...messages,
      requested.message,
      { role: "tool", content: "Sunny", tool_name: "weather" },
    ]
    const stream = await client.chat({ model, messages: turns, tools: [weather], stream: true })
    const said = (await collectItems(stream)).map(({ message }) => message.content).join("")
    expect(said).toBe("The tool said: Sunny")
    const { message } = await client.chat({ model, messages, format: "json" })
    expect(JSON.parse(message.content)).toEqual({ reply: "You said: a < b" })
  })

  it("returns the same embeddings from the current and the legacy route", async () => {
    const { embeddings } = await client.embed({
      model: "nomic-embed-text",
      input: ["a cat", "a dog"],
    })
    expect(embeddings).toHaveLength(2)
    const { embedding } = await client.embeddings({ model: "nomic-embed-text", prompt: "a cat" })
    expect(embedding).toEqual(embeddings[0])
  })

  it("pulls, creates, copies, pushes and deletes models", async () => {
    const steps = await collectItems(await client.pull({ model: "phi3", stream: true }))
    expect(steps[0]?.status).toBe("pulling manifest")
    expect(steps.at(-1)?.status).toBe("success")
    await client.create({ model: "mine", from: "phi3" })
    await client.copy({ source: "mine", destination: "yours" })
    expect(await client.push({ model: "yours" })).toEqual({ status: "success" })
    await client.delete({ model: "phi3" })
    const names = fake.models.map(({ name }) => name)
    expect(names.slice(-2)).toEqual(["mine:latest", "yours:latest"])
    await expect(client.pull({ model: "missing-one" })).rejects.toThrow("file does not exist")
  })

  it("accepts a blob only if its digest is correct", async () => {
    const bytes = Buffer.alloc(3_000_000, "x")
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`
    const url = `${fake.url}/api/blobs/${digest}`
    expect((await fetch(url, { method: "HEAD" })).status).toBe(404)
    expect((await fetch(url, { method: "POST", body: "other" })).status).toBe(400)
    expect((await fetch(url, { method: "POST", body: bytes })).status).toBe(201)
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200)
    expect(fake.blobs.get(digest)).toBe(3_000_000)
  })

  it("returns the same errors as Ollama", async () => {
    await expect(client.chat({ model: "nobody", messages })).rejects.toMatchObject({
      status_code: 404,
      message: "model 'nobody' not found",
    })
    await expect(client.chat({ model, messages, think: true })).rejects.toThrow(
      '"llama3.2" does not support thinking',
    )
    await expect(
      openai.chat.completions.create({ model: "x", messages: [] }),
    ).rejects.toMatchObject({
      status: 404,
      type: "not_found_error",
    })
    expect((await fetch(`${fake.url}/api/nowhere`)).status).toBe(404)
    expect((await fetch(`${fake.url}/api/chat`)).status).toBe(405)
  })

  it("implements the OpenAI API under /v1", async () => {
    expect((await openai.models.list()).data[0]).toMatchObject({ owned_by: "library" })
    expect((await openai.models.retrieve("llama3.2")).id).toBe("llama3.2")
    const ask = { model, messages: [{ role: "user" as const, content: "hi" }] }
    const whole = await openai.chat.completions.create(ask)
    expect(whole.choices[0]?.message.content).toBe("You said: hi")
    const stream = openai.chat.completions.stream({
      ...ask,
      stream_options: { include_usage: true },
    })
    expect((await stream.finalChatCompletion()).usage?.completion_tokens).toBe(3)
    const called = await openai.chat.completions.create({ ...ask, tools: [weather] })
    expect(called.choices[0]?.finish_reason).toBe("tool_calls")
    const done = await openai.completions.create({ model, prompt: "hi" })
    expect(done.choices[0]?.text).toBe("You said: hi")
    const vectors = await openai.embeddings.create({ model: "nomic-embed-text", input: "hi" })
    expect(vectors.data[0]?.embedding).toHaveLength(64)
  })

  it("notices when the client disconnects", async () => {
    Object.assign(fake.pace, { chunks: 400, delayMs: 50 })
    const arrived = fake.nextRequest(/generate/)
    const stream = await client.generate({ model, prompt: "hi", stream: true })
    const request = await arrived
    const before = Date.now()
    stream.abort()
    expect((await request.aborted) - before).toBeLessThan(maxDelayMs)
  })
})

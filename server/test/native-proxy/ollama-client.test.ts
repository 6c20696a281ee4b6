import { Ollama } from "ollama"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { collectItems } from "../fakes/collect.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { maxDelayMs } from "../harness/timing.ts"

let upstream: FakeOllama
let gateway: TestGateway
let admin: Ollama
let user: Ollama
let userKey: string

const clientFor = (key: string): Ollama =>
  new Ollama({ host: `${gateway.url}/ollama`, headers: { authorization: `Bearer ${key}` } })

const question = [{ role: "user", content: "what is the tide?" }]
const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
}

beforeAll(async () => {
  upstream = await startFakeOllama()
  gateway = await startGateway({ OLLAMA_BASE_URLS: upstream.url })
  userKey = (await gateway.createUser("Grace")).key
  admin = clientFor(adminKey)
  user = clientFor(userKey)
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

describe("the ollama SDK at /ollama", () => {
  it("lists the same models as the runtime", async () => {
    const direct = await new Ollama({ host: upstream.url }).list()
    expect((await user.list()).models).toEqual(direct.models)
  })

  it("streams a generated text", async () => {
    const parts = await collectItems(
      await user.generate({ model: "llama3.2", prompt: "hello there", stream: true }),
    )
    expect(parts.map((part) => part.response).join("")).toBe("You said: hello there")
    expect(parts.at(-1)?.done).toBe(true)
  })

  it("chats with tools and their results", async () => {
    const toolCall = await user.chat({ model: "llama3.2", messages: question, tools: [weather] })
    expect(toolCall.message.tool_calls?.[0]?.function.name).toBe("weather")
    const answer = await user.chat({
      model: "llama3.2",
      messages: [...question, toolCall.message, { role: "tool", content: "sunny" }],
      tools: [weather],
    })
    expect(answer.message.content).toBe("The tool said: sunny")
  })

  it("streams a chat with thinking", async () => {
    const parts = await collectItems(
      await user.chat({ model: "qwen3:4b", messages: question, think: true, stream: true }),
    )
    expect(parts.some((part) => part.message.thinking)).toBe(true)
  })

  it("creates embeddings", async () => {
    const { embeddings } = await user.embed({ model: "nomic-embed-text", input: ["one", "two"] })
    expect(embeddings).toHaveLength(2)
  })

  it("shows a model and the loaded models", async () => {
    const shown = await user.show({ model: "llama3.2" })
    expect(shown.capabilities).toContain("tools")
    await user.generate({ model: "llama3.2", prompt: "load" })
    const { models } = await user.ps()
    expect(models.map(({ name }) => name)).toContain("llama3.2:latest")
  })

  it("stops the runtime when the client aborts", async () => {
    Object.assign(upstream.pace, { chunks: 400, delayMs: 50 })
    const arrived = upstream.nextRequest(/generate/)
    const stream = await user.generate({
      model: "llama3.2",
      prompt: "a b c",
      stream: true,
    })
    const reading = collectItems(stream)
    const request = await arrived
    const abortedAt = Date.now()
    stream.abort()
    await expect(reading).rejects.toThrow()
    expect((await request.aborted) - abortedAt).toBeLessThan(maxDelayMs)
    Object.assign(upstream.pace, { chunks: undefined, delayMs: 0 })
  })

  it("pulls for an administrator, and lists the new model immediately", async () => {
    const parts = await collectItems(await admin.pull({ model: "tiny:1b", stream: true }))
    expect(parts.at(-1)?.status).toBe("success")
    const answer = await user.chat({ model: "tiny:1b", messages: question })
    expect(answer.message.content).toContain("You said")
  })

  it.each([
    ["pull", () => user.pull({ model: "tiny:1b" })],
    ["delete", () => user.delete({ model: "llama3.2" })],
    ["copy", () => user.copy({ source: "llama3.2", destination: "mine" })],
    ["create", () => user.create({ model: "mine", from: "llama3.2" })],
    ["push", () => user.push({ model: "llama3.2" })],
  ])("rejects a user's %s before it reaches the runtime", async (name, change) => {
    const before = upstream.requests.length
    await expect(change()).rejects.toThrow(/Only administrators/)
    const reached = upstream.requests.slice(before).map(({ path }) => path)
    expect(reached).not.toContain(`/api/${name}`)
  })

  it("reports an unknown model in the runtime's wording", async () => {
    await expect(user.chat({ model: "nobody", messages: question })).rejects.toThrow(
      /"?nobody"? does not exist/,
    )
  })

  it("writes a usage record", async () => {
    await gateway.gateway.recordQueue.flush()
    const { body } = await gateway.call("GET", "/api/v1/usage?group_by=model", undefined, {
      key: userKey,
    })
    const models = body.items.map(({ key }: { key: string }) => key)
    expect(models).toContain("llama3.2:latest")
    const llama = body.items.find(({ key }: { key: string }) => key === "llama3.2:latest")
    expect(llama.tokens_in).toBeGreaterThan(0)
    expect(llama.tokens_out).toBeGreaterThan(0)
  })
})

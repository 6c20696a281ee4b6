import { afterAll, beforeAll, expect, it } from "vitest"
import { waitUntilListed } from "../connections/connection-client.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"

let runtime: FakeOllama
let gateway: TestGateway

beforeAll(async () => {
  runtime = await startFakeOllama({ models: ["llama3", "secret"] })
  gateway = await startGateway({ OLLAMA_BASE_URLS: runtime.url })
  await waitUntilListed(gateway)
})
afterAll(async () => {
  await gateway.stop()
  await runtime.close()
})

const messages = [{ role: "user", content: "hello" }]
const bodiesAt = (path: string) =>
  runtime.requests.filter((request) => request.path === path).map(({ body }) => String(body))

const spellings = [
  ...["llama3", "LLAMA3", "Llama3:Latest", "library/llama3", "library/llama3:latest"],
  ...["registry.ollama.ai/library/llama3", "Registry.Ollama.AI/Library/LLAMA3:latest"],
]

it.each(spellings)("forwards requests for the model as written: %s", async (model) => {
  for (const path of ["/api/chat", "/api/show", "/v1/chat/completions"]) {
    const before = bodiesAt(path).length
    const body = JSON.stringify({ stream: false, model, messages })
    await fetch(`${gateway.url}/ollama${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body,
    })
    expect([path, bodiesAt(path).slice(before)]).toEqual([path, [body]])
  }
})

it.each(["llama", "llama3:8b", "other/llama3", "library/library/llama3", "example.com/llama3"])(
  "does not know another model: %s",
  async (model) => {
    const before = bodiesAt("/api/chat").length
    const reply = await gateway.call("POST", "/ollama/api/chat", { model, messages })
    expect(reply.status).toBe(404)
    expect(bodiesAt("/api/chat").length).toBe(before)
  },
)

it.each(["SECRET", "library/secret", "registry.ollama.ai/library/Secret"])(
  "checks access to the model found, not to the name written: %s",
  async (model) => {
    const limits = { name: "limited", allowed_models: ["llama3:latest", model] }
    const { body } = await gateway.call("POST", "/api/v1/auths/api_keys", limits)
    const options = { key: body.api_key ?? body.key }
    const before = bodiesAt("/api/chat").length
    const chat = (name: string) =>
      gateway.call("POST", "/ollama/api/chat", { model: name, messages, stream: false }, options)
    expect((await chat("LLAMA3")).status).toBe(200)
    expect([403, 404]).toContain((await chat(model)).status)
    expect(bodiesAt("/api/chat").length).toBe(before + 1)
  },
)

import { afterAll, beforeAll, expect, it } from "vitest"
import { waitUntilListed } from "../connections/connection-client.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { createOllamaModel } from "../fakes/ollama-models.ts"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"

let runtime: FakeOllama
let provider: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  const embedder = createOllamaModel("nomic-embed-text", { capabilities: ["embedding"] })
  runtime = await startFakeOllama({ models: ["llama3.2", "shared:latest", embedder] })
  runtime.injectFault({ kind: "status", status: 500 }, { on: /show/, times: 3 })
  const described = {
    ...createOpenAIModel("described"),
    max_model_len: 8192,
    capabilities: { vision: true },
  }
  provider = await startFakeOpenAI({ models: ["shared:latest", described, "org/x:1"] })
  gateway = await startGateway({
    OLLAMA_BASE_URLS: runtime.url,
    OPENAI_API_BASE_URLS: provider.url,
    MODEL_REFRESH_INTERVAL: "200ms",
  })
  await waitUntilListed(gateway)
})
afterAll(async () => {
  await gateway.stop()
  await runtime.close()
  await provider.close()
})

const listRequestCount = () => provider.requests.filter(({ path }) => path === "/v1/models").length

/** Resolves when the provider's current list has been fetched and processed. */
const waitForList = async () => {
  const before = listRequestCount()
  await waitFor(() => listRequestCount() > before + 1)
}

const listed = async () => {
  const { body } = await gateway.call("GET", "/api/models")
  expect(body.object).toBe("list")
  return new Map<string, Record<string, unknown>>(
    body.data.map((model: { id: string }) => [model.id, model]),
  )
}

it("lists each model once, in the order of the connections", async () => {
  const { body } = await gateway.call("GET", "/api/models")
  const ids = body.data.map(({ id }: { id: string }) => id)
  expect(ids).toEqual([
    "llama3.2:latest",
    "shared:latest",
    "nomic-embed-text:latest",
    "described",
    "org/x:1",
  ])
})

it("includes what people need to choose a model", async () => {
  const models = await listed()
  expect(models.get("llama3.2:latest")).toMatchObject({
    object: "model",
    name: "llama3.2:latest",
    owned_by: "ollama",
    connection_type: "local",
    is_active: true,
    available: true,
    tags: [],
  })
  const [local, external] = [runtime, provider].map(({ origin }) => new URL(origin).host)
  expect(models.get("shared:latest")).toMatchObject({
    owned_by: "ollama",
    connections: [{ name: local }, { name: external }],
  })
  expect(models.get("described")).toMatchObject({
    owned_by: "openai",
    connection_type: "external",
    context_length: 8192,
    capabilities: { vision: true },
    created: 1_700_000_000,
  })
})

it("includes the starters of workspace models", async () => {
  const create = (id: string, starters: unknown) => {
    const meta = { description: "", tags: [], starters }
    const model = { id, name: id, base_model_id: "described", meta }
    return gateway.call("POST", "/api/v1/models/create", model)
  }
  const starters = ["When is high water?", "Plan a trip"]
  expect((await create("starting", starters)).status).toBe(200)
  expect((await create("bare", [])).status).toBe(200)
  const models = await listed()
  expect(models.get("starting")).toMatchObject({ starters })
  expect(models.get("bare")).toMatchObject({ starters: [] })
  expect(models.get("described")).not.toHaveProperty("starters")
  for (const invalid of [Array(5).fill("x"), ["x".repeat(201)], [" "], "x"]) {
    const { status, body } = await create("invalid", invalid)
    expect([status, body.errors[0].path]).toEqual([422, expect.stringMatching(/^meta.starters/)])
  }
})

it("truncates long descriptions and tags in the list only", async () => {
  const [exact, long] = ["x".repeat(500), `${"x".repeat(499)}😀${"y".repeat(9000)}`]
  const tags = Array.from({ length: 50 }, (_, at) => `tag ${at}`)
  for (const [id, description] of Object.entries({ exact, long })) {
    const model = { id, name: id, base_model_id: "described", meta: { description, tags } }
    expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
  }
  const models = await listed()
  const start = `${"x".repeat(499)}\ufffd…`
  expect(models.get("long")).toMatchObject({ description: start, tags: tags.slice(0, 10) })
  expect(models.get("exact")).toMatchObject({ description: exact, tags: tags.slice(0, 10) })
  const { body } = await gateway.call("GET", "/api/models/long")
  expect(body).toMatchObject({ description: long, tags })
})

it("retries a failed query for a runtime model's details, and then caches them", async () => {
  await waitFor(async () => (await listed()).get("llama3.2:latest")?.context_length)
  const models = await listed()
  expect(models.get("llama3.2:latest")?.capabilities).toMatchObject({ completion: true })
  const showRequestCount = () => runtime.requests.filter(({ path }) => path === "/api/show").length
  const before = showRequestCount()
  const listRequestCount = () => runtime.requests.filter(({ path }) => path === "/api/tags").length
  const listsBefore = listRequestCount()
  await waitFor(() => listRequestCount() > listsBefore + 1)
  expect(showRequestCount()).toBe(before)
})

it("rejects a default model that is disabled or an embedding model", async () => {
  const createModel = (id: string, base_model_id: string, is_active: boolean) =>
    gateway.call("POST", "/api/v1/models/create", { id, name: id, base_model_id, is_active })
  expect(await createModel("asleep", "described", false)).toMatchObject({ status: 200 })
  expect(await createModel("vectors", "nomic-embed-text", true)).toMatchObject({ status: 200 })
  const setDefault = (default_model: string) =>
    gateway.call("POST", "/api/v1/settings", { default_model })
  for (const id of ["nomic-embed-text", "nomic-embed-text:latest", "vectors"]) {
    await waitFor(async () => (await setDefault(id)).status === 422)
  }
  const { status, body } = await setDefault("asleep")
  expect({ status, errors: body.errors }).toMatchObject({
    status: 422,
    errors: [{ path: "default_model", message: expect.stringContaining("disabled") }],
  })
  for (const id of ["described", ""]) expect(await setDefault(id)).toMatchObject({ status: 200 })
  for (const id of ["asleep", "vectors"]) {
    await gateway.call("POST", "/api/v1/models/model/delete", { id })
  }
})

it("follows changes at the upstreams", async () => {
  provider.models.push(createOpenAIModel("new"))
  await waitFor(async () => (await listed()).has("new"))
  provider.models.pop()
  await waitFor(async () => !(await listed()).has("new"))
  // Not a model, but it must not break the list either.
  provider.models.push(JSON.parse('{"id":7}'))
  await waitForList()
  expect((await listed()).get("described")).toMatchObject({ available: true })
  provider.models.pop()
})

it("completes with a runtime's model, streamed or not, with or without its tag", async () => {
  for (const model of ["llama3.2", "llama3.2:latest"]) {
    for (const stream of [false, true]) {
      const messages = [{ role: "user", content: "ahoy" }]
      const completionRequest = { model, messages, stream }
      const { status, body } = await gateway.call("POST", "/v1/chat/completions", completionRequest)
      expect(status).toBe(200)
      expect(stream ? body : body.choices[0].message.content).toContain("ahoy")
      if (stream) expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
      const chats = runtime.requests.filter(({ path }) => /chat/.test(path))
      expect(chats.at(-1)?.json).toMatchObject({ model: "llama3.2:latest" })
    }
  }
})

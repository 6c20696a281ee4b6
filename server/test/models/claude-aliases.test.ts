import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { createOllamaModel } from "../fakes/ollama-models.ts"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

const base = "/api/v1/models"
const messages = [{ role: "user", content: "hello" }]

let upstream: FakeOpenAI
let runtime: FakeOllama
let gateway: TestGateway
let grace: { id: string; key: string }

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "claude-opus", "opus"] })
  runtime = await startFakeOllama({ models: [createOllamaModel("org/llama")] })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: upstream.url,
    OLLAMA_BASE_URLS: runtime.url,
  })
  await waitForModels(gateway, ["opus", "org/llama:latest"])
  grace = await gateway.createUser("Grace")
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
  await runtime.close()
})

const complete = (model: string, key?: string) =>
  gateway.call("POST", "/v1/chat/completions", { model, messages }, { ...(key && { key }) })

const createModel = (id: string, fields: object = {}, key?: string) =>
  gateway.call(
    "POST",
    `${base}/create`,
    { id, name: id, base_model_id: "gpt-fake", ...fields },
    { ...(key && { key }) },
  )

const deleteModel = (id: string) => gateway.call("POST", `${base}/model/delete`, { id })

/** The model that the provider is asked for when a client names `model`. */
const upstreamModelOf = async (model: string, key?: string): Promise<unknown> => {
  const arrived = upstream.nextRequest(/chat/)
  expect(await complete(model, key)).toMatchObject({ status: 200 })
  return JSON.parse((await arrived).body.toString()).model
}

it("a model answers to its id with the prefix claude-", async () => {
  expect(await upstreamModelOf("claude-gpt-fake")).toBe("gpt-fake")
  for (const id of ["claude-org/llama", "claude-org/llama:latest"]) {
    expect(await complete(id)).toMatchObject({ status: 200 })
    expect((await gateway.call("GET", `/v1/models/${id}`)).body).toMatchObject({
      id: "org/llama:latest",
    })
  }
  for (const id of ["claude-nothing", "claude-", "claude-claude-gpt-fake"]) {
    expect(await complete(id)).toMatchObject({ status: 404 })
  }
})

it("a model with that exact id takes precedence", async () => {
  expect(await upstreamModelOf("claude-opus")).toBe("claude-opus")
  expect(await upstreamModelOf("claude-claude-opus")).toBe("claude-opus")
  await createModel("claude-gpt-fake", { base_model_id: "opus" })
  expect(await upstreamModelOf("claude-gpt-fake")).toBe("opus")
  await deleteModel("claude-gpt-fake")
  expect(await upstreamModelOf("claude-gpt-fake")).toBe("gpt-fake")
})

it("finds a model that was added after the last refresh", async () => {
  upstream.models.push(createOpenAIModel("just-added"))
  expect(await upstreamModelOf("claude-just-added")).toBe("just-added")
})

it("access to the model itself decides", async () => {
  await createModel("closed")
  expect(await complete("claude-closed", grace.key)).toMatchObject({
    status: 404,
    body: { error: { code: "model_not_found" } },
  })
  const access_grants = [{ principal_type: "user", principal_id: grace.id, permission: "read" }]
  await gateway.call("POST", `${base}/model/update?id=closed`, { access_grants })
  expect(await complete("claude-closed", grace.key)).toMatchObject({ status: 200 })
  await deleteModel("closed")
})

it("a key limited to models accepts the alias of one of them only", async () => {
  const createKey = async (allowed_models: string[]): Promise<string> => {
    const { body } = await gateway.call("POST", "/api/v1/auths/api_keys", {
      name: "limited",
      allowed_models,
    })
    return body.api_key
  }
  const key = await createKey(["gpt-fake"])
  expect(await complete("claude-gpt-fake", key)).toMatchObject({ status: 200 })
  expect(await complete("claude-org/llama", key)).toMatchObject({ status: 403 })

  // The alias is not an id, and the model is found only after a refresh.
  upstream.models.push(createOpenAIModel("late"))
  const aliasKey = await createKey(["claude-late"])
  expect(await complete("claude-late", aliasKey)).toMatchObject({ status: 403 })
})

it("losing access ends a response that was requested by the alias", async () => {
  const access_grants = [{ principal_type: "user", principal_id: grace.id, permission: "read" }]
  await createModel("revocable", { access_grants })
  upstream.pace.delayMs = 100
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${grace.key}` },
    body: JSON.stringify({
      model: "claude-revocable",
      messages,
      stream: true,
      metadata: { fake_chunks: "600" },
    }),
  })
  expect(response.status).toBe(200)
  await gateway.call("POST", `${base}/model/update?id=revocable`, { access_grants: [] })
  const text = await response.text()
  upstream.pace.delayMs = 0
  expect(text).toContain('"error"')
  expect(text).not.toContain("[DONE]")
  await deleteModel("revocable")
})

it("usage is recorded for the model itself", async () => {
  const countRequests = async (): Promise<number> => {
    await gateway.gateway.recordQueue.flush()
    const { body } = await gateway.call("GET", "/api/v1/usage?group_by=model&model=gpt-fake")
    return body.items[0].requests
  }
  const before = await countRequests()
  await complete("claude-gpt-fake")
  await expect.poll(countRequests).toBe(before + 1)
})

it("nobody but administrators can take the alias of a model", async () => {
  const { status, body } = await createModel("claude-gpt-fake", {}, grace.key)
  expect({ status, body }).toMatchObject({ status: 409, body: { code: "conflict" } })
  await createModel("claude-later", {}, grace.key)
  upstream.models.push(createOpenAIModel("later"))
  await gateway.gateway.registry.refresh(5000)
  expect(await upstreamModelOf("claude-later", grace.key)).toBe("later")
})

it("an alias is no base of a model, and unknown to the native API", async () => {
  const { status, body } = await createModel("above", { base_model_id: "claude-gpt-fake" })
  expect({ status, errors: body.errors }).toMatchObject({
    status: 422,
    errors: [{ path: "base_model_id" }],
  })
  const request = { model: "claude-org/llama", prompt: "hello" }
  const before = runtime.requests.length
  expect(await gateway.call("POST", "/ollama/api/generate", request)).toMatchObject({ status: 404 })
  const sent = runtime.requests.slice(before).map(({ path }) => path)
  expect(sent).not.toContain("/api/generate")
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { createOllamaModel } from "../fakes/ollama-models.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

let first: FakeOllama
let second: FakeOllama
let prefixed: FakeOllama
let provider: FakeOpenAI
let gateway: TestGateway
let grace: { id: string; key: string }

const names = (body: { models: { name: string }[] }): string[] => body.models.map((m) => m.name)
const asGrace = () => ({ key: grace.key })

beforeAll(async () => {
  first = await startFakeOllama({
    models: [createOllamaModel("shared:1b"), createOllamaModel("alpha:1b")],
  })
  second = await startFakeOllama({
    models: [createOllamaModel("shared:1b"), createOllamaModel("beta:1b")],
  })
  prefixed = await startFakeOllama({ models: [createOllamaModel("gamma:1b")] })
  provider = await startFakeOpenAI()
  gateway = await startGateway({
    OLLAMA_BASE_URLS: `${first.url};${second.url}`,
    OPENAI_API_BASE_URLS: provider.url,
  })
  grace = await gateway.createUser("Grace")
  const created = await gateway.call("POST", "/api/v1/connections/create", {
    kind: "ollama",
    name: "closed",
    base_url: prefixed.url,
    id_prefix: "lab",
    access_grants: [],
  })
  expect(created.status).toBe(200)
  await gateway.gateway.registry.refresh(2000)
})
afterAll(async () => {
  await gateway.stop()
  await Promise.all([first, second, prefixed, provider].map((upstream) => upstream.close()))
})

describe("several runtimes behind one prefix", () => {
  it("are listed as one, each model once", async () => {
    const { body } = await gateway.call("GET", "/ollama/api/tags", undefined, asGrace())
    expect(names(body).sort()).toEqual(["alpha:1b", "beta:1b", "shared:1b"])
  })

  it("each serve the models they have", async () => {
    for (const [model, holder] of [
      ["alpha:1b", first],
      ["beta:1b", second],
    ] as const) {
      const arrived = holder.nextRequest(/generate/)
      const { status } = await gateway.call(
        "POST",
        "/ollama/api/generate",
        { model, prompt: "x" },
        asGrace(),
      )
      expect(status).toBe(200)
      expect((await arrived).json).toMatchObject({ model })
    }
  })

  it("fail over to each other until the first byte is sent", async () => {
    first.injectFault({ kind: "reset" }, { on: /generate/ })
    second.injectFault({ kind: "reset" }, { on: /generate/ })
    // One of the two faults is consumed by the runtime that is tried first.
    const failing = await gateway.call("POST", "/ollama/api/generate", {
      model: "shared:1b",
      prompt: "x",
    })
    expect(failing.status).toBe(502)
    first.clearFaults()
    second.injectFault({ kind: "reset" }, { on: /generate/, times: 1 })
    const retried = await gateway.call("POST", "/ollama/api/generate", {
      model: "shared:1b",
      prompt: "x",
    })
    expect(retried.status).toBe(200)
    second.clearFaults()
  })

  it("still list the other models when one is unreachable", async () => {
    await second.close()
    const { status, body } = await gateway.call("GET", "/ollama/api/tags", undefined, asGrace())
    expect(status).toBe(200)
    expect(names(body)).toContain("alpha:1b")
    await second.restart()
  })

  it("reject /{index}/ paths, which are not supported", async () => {
    const { status } = await gateway.call("GET", "/ollama/0/api/tags", undefined, asGrace())
    expect(status).toBe(403)
  })
})

describe("a connection without grants", () => {
  it("is not listed, and its models do not exist", async () => {
    const listed = await gateway.call("GET", "/ollama/api/tags", undefined, asGrace())
    expect(names(listed.body)).not.toContain("lab.gamma:1b")
    const models = await gateway.call("GET", "/ollama/v1/models", undefined, asGrace())
    expect(JSON.stringify(models.body)).not.toContain("gamma")
    const unknown = await gateway.call("POST", "/ollama/api/show", { model: "nobody" }, asGrace())
    const hidden = await gateway.call(
      "POST",
      "/ollama/api/show",
      { model: "lab.gamma:1b" },
      asGrace(),
    )
    expect(hidden.status).toBe(404)
    expect(JSON.stringify(hidden.body).replaceAll("lab.gamma:1b", "nobody")).toBe(
      JSON.stringify(unknown.body),
    )
    const one = await gateway.call("GET", "/ollama/v1/models/lab.gamma:1b", undefined, asGrace())
    expect(one.status).toBe(404)
  })

  it("is available to administrators under its prefix, which is removed from requests", async () => {
    const { body } = await gateway.call("GET", "/ollama/api/tags")
    expect(names(body)).toContain("lab.gamma:1b")
    const arrived = prefixed.nextRequest(/generate/)
    const text = '{ "prompt":"é", "model": "lab.gamma:1b", "options": {"seed": 1.0} }'
    const { status } = await gateway.call("POST", "/ollama/api/generate", text)
    expect(status).toBe(200)
    expect((await arrived).body.toString()).toBe(text.replace("lab.gamma:1b", "gamma:1b"))
  })

  it("opens to group members on their next request", async () => {
    const group = await gateway.call("POST", "/api/v1/groups/create", { name: "Lab" })
    const connections = await gateway.call("GET", "/api/v1/connections/")
    const restricted = connections.body.items.find((c: { name: string }) => c.name === "closed")
    await gateway.call("POST", `/api/v1/connections/${restricted.id}/update`, {
      access_grants: [{ principal_type: "group", principal_id: group.body.id, permission: "read" }],
    })
    const show = () =>
      gateway.call("POST", "/ollama/api/show", { model: "lab.gamma:1b" }, asGrace())
    expect((await show()).status).toBe(404)
    await gateway.call("POST", `/api/v1/groups/${group.body.id}/members/add`, {
      user_ids: [grace.id],
    })
    expect((await show()).status).toBe(200)
  })
})

describe("an API key with allowed models and routes", () => {
  it("lists and allows only those", async () => {
    const created = await gateway.call(
      "POST",
      "/api/v1/auths/api_keys",
      { name: "narrow", allowed_models: ["alpha:1b"], allowed_routes: ["/ollama/*"] },
      asGrace(),
    )
    const key = { key: created.body.api_key }
    const tags = await gateway.call("GET", "/ollama/api/tags", undefined, key)
    expect(names(tags.body)).toEqual(["alpha:1b"])
    const other = await gateway.call("POST", "/ollama/api/show", { model: "beta:1b" }, key)
    expect(other.status).toBe(403)
    const elsewhere = await gateway.call("GET", "/api/models", undefined, key)
    expect(elsewhere.status).toBe(403)
  })
})

describe("/openai/*", () => {
  it("is disabled until an administrator enables it", async () => {
    const restricted = await gateway.call("GET", "/openai/models", undefined, asGrace())
    expect(restricted.status).toBe(403)
    expect(restricted.body.error.message).toContain("enable_openai_proxy")
    await gateway.call("POST", "/api/v1/settings/", { enable_openai_proxy: true })
    const open = await gateway.call("GET", "/openai/models", undefined, asGrace())
    expect(open.body.data.map(({ id }: { id: string }) => id)).toContain("gpt-fake")
    expect(JSON.stringify(open.body)).not.toContain("alpha")
  })

  it("allows users requests with a granted model, and reserves the rest for administrators", async () => {
    const chat = { model: "gpt-fake", messages: [{ role: "user", content: "hi" }] }
    const used = await gateway.call("POST", "/openai/chat/completions", chat, asGrace())
    expect(used.body.choices[0].message.content).toBe("You said: hi")
    const files = await gateway.call("GET", "/openai/files", undefined, asGrace())
    expect(files.status).toBe(403)
  })
})

describe("without a runtime", () => {
  it("names the missing setting", async () => {
    const empty = await startGateway({ OLLAMA_BASE_URLS: ";" })
    const { status, body } = await empty.call("GET", "/ollama/api/tags")
    expect(status).toBe(503)
    expect(body.error).toContain("OLLAMA_BASE_URLS")
    await empty.stop()
  })

  it("serves the proxy under the configured prefix", async () => {
    const other = await startGateway({ OLLAMA_BASE_URLS: first.url, RUNTIME_PREFIX: "runtime" })
    expect((await other.call("GET", "/runtime/api/version")).body.version).toBeDefined()
    expect((await other.call("GET", "/ollama/api/version")).body.version).toBeUndefined()
    await other.stop()
  })
})

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Fault } from "../fakes/faults.ts"
import type { Json, JsonObject } from "../fakes/json.ts"
import { startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { waitUntilListed } from "./connection-client.ts"

const messages = [{ role: "user", content: "hello" }]
const requests: [string, object][] = [
  ["/v1/chat/completions", { messages }],
  ["/v1/chat/completions", { messages, stream: true }],
  ["/v1/messages", { messages, max_tokens: 100 }],
  ["/v1/responses", { input: "hello", store: false }],
  ["/v1/embeddings", { input: "hello" }],
]

const rejections: [string, { status: number; body: Json }][] = [
  ["a rejected key", { status: 401, body: { error: { code: "invalid_api_key", message: "No" } } }],
  ["spent credit", { status: 402, body: { error: { message: "Insufficient credits" } } }],
  ["a missing permission", { status: 403, body: { error: { message: "No access" } } }],
  [
    "a model that OpenAI no longer has",
    { status: 404, body: { error: { code: "model_not_found", message: "No", param: null } } },
  ],
  [
    "a model that vLLM no longer has",
    { status: 404, body: { message: "The model does not exist." } },
  ],
  [
    "a model that Ollama no longer has",
    { status: 404, body: { error: 'model "shared" not found' } },
  ],
  ["an unknown model", { status: 400, body: { error: { message: "Model Not Exist" } } }],
]

const error = (message: string, more: JsonObject = {}): Json => ({ error: { message, ...more } })

/** As providers and servers document them, or answer. */
const otherRejections: [string, { status: number; body: Json | string }][] = [
  [
    "Google's invalid key",
    {
      status: 400,
      body: [error("API key not valid. Please pass a valid API key.", { code: 400 })],
    },
  ],
  ["Google's expired key", { status: 400, body: error("API key expired. Please renew it.") }],
  [
    "xAI's wrong key",
    {
      status: 400,
      body: { code: "Invalid argument", error: "Incorrect API key provided: xa***." },
    },
  ],
  [
    "an Anthropic account without credit",
    { status: 400, body: error("Your credit balance is too low to access the Anthropic API.") },
  ],
  ["a disabled account", { status: 400, body: error("This organization has been disabled.") }],
  ["a suspended account", { status: 412, body: error("Account acme is suspended, possibly due…") }],
  [
    "OpenAI's spent quota",
    { status: 429, body: error("You exceeded your quota", { code: "insufficient_quota" }) },
  ],
  [
    "a missing deployment of Azure",
    { status: 404, body: error("It does not exist.", { code: "DeploymentNotFound" }) },
  ],
  [
    "a model that Google no longer has",
    { status: 404, body: [error("models/shared is not found for API version v1main")] },
  ],
  [
    "a model that no host serves",
    { status: 400, body: error("The requested model 'shared' is not supported by any provider") },
  ],
  [
    "a model that LiteLLM does not know",
    {
      status: 400,
      body: error("/chat: Invalid model name passed in model=shared", { param: "None" }),
    },
  ],
  [
    "a model that Together cannot access",
    { status: 404, body: error("Unable to access model shared. See https://example.com/models") },
  ],
  [
    "a missing model in a list of errors",
    { status: 404, body: { errors: [{ message: "The model `shared` does not exist" }] } },
  ],
  [
    "a key refused in an error within an error",
    { status: 400, body: { error: { error: { message: "Invalid API key" } } } },
  ],
  ["no loaded model", { status: 404, body: error("No models loaded.", { param: "model" }) }],
  ["a retired model", { status: 410, body: error("Gone") }],
  ["a web server's page", { status: 404, body: "<html>404 Not Found</html>" }],
  ["a path unknown to Go's server", { status: 404, body: "404 page not found" }],
  ["a path unknown to FastAPI", { status: 404, body: { detail: "Not Found" } }],
  ["a path unknown to OpenAI", { status: 404, body: error("Invalid URL (POST /v1/chat)") }],
  ["a method that a web server refuses", { status: 405, body: "<html>405 Not Allowed</html>" }],
]

const callersFaults: [string, { status: number; body: Json }, number][] = [
  ["a missing response", { status: 404, body: { error: { message: "Response not found." } } }, 404],
  ["rejected content", { status: 403, body: { error: { message: "Flagged by moderation" } } }, 502],
  ["an invalid request", { status: 400, body: { error: { message: "Too long" } } }, 400],
  [
    "an invalid parameter",
    { status: 400, body: { error: { message: "Unknown value for this model", param: "size" } } },
    400,
  ],
  [
    "a parameter that the model does not have",
    { status: 400, body: { error: { message: "'top_k' is not supported with this model" } } },
    400,
  ],
  [
    "too many tokens",
    { status: 400, body: { error: { message: "This model's maximum context is 4096 tokens." } } },
    400,
  ],
  [
    "text of the caller about keys",
    { status: 400, body: { error: { message: "Unknown tool: 'invalid API key'" } } },
    400,
  ],
]

describe("of two connections with a model", () => {
  let failing: FakeOpenAI
  let healthy: FakeOpenAI
  let gateway: TestGateway

  beforeAll(async () => {
    failing = await startFakeOpenAI({ models: ["shared"] })
    healthy = await startFakeOpenAI({ models: ["shared"] })
  })
  beforeEach(async () => {
    gateway = await startGateway({ OPENAI_API_BASE_URLS: `${failing.url};${healthy.url}` })
    await waitUntilListed(gateway)
  })
  afterEach(async () => {
    failing.clearFaults()
    healthy.clearFaults()
    await gateway.stop()
  })
  afterAll(async () => {
    await failing.close()
    await healthy.close()
  })

  const modelRequests = ({ requests }: FakeOpenAI) =>
    requests.filter(({ method, path }) => method === "POST" && /chat|embeddings/.test(path)).length
  const rejectAll = (
    { status, body }: { status: number; body: Json | string },
    fake = failing,
  ): void => {
    const fault: Fault =
      typeof body === "string"
        ? { kind: "reply", status, body, headers: { "content-type": "text/html" } }
        : { kind: "status", status, body }
    fake.injectFault(fault, { on: /chat|embeddings/, times: Number.POSITIVE_INFINITY })
  }
  const health = async () => (await gateway.call("GET", "/api/v1/connections")).body.items[0].health

  it.each(rejections)("leaves out the one with %s, and shows why", async (_what, rejection) => {
    rejectAll(rejection)
    const before = modelRequests(failing)
    for (const [path, fields] of requests) {
      const { status } = await gateway.call("POST", path, { model: "shared", ...fields })
      expect([path, status]).toEqual([path, 200])
    }
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () =>
        gateway.call("POST", "/v1/chat/completions", { model: "shared", messages }),
      ),
    )
    expect(statuses.every(({ status }) => status === 200)).toBe(true)
    // One more may test it after the pause of a second.
    expect(modelRequests(failing) - before).toBeLessThanOrEqual(4)
    const { status, last_error } = await health()
    expect(status).toBe("resting")
    expect(last_error).toContain(`status ${rejection.status}`)
  })

  it.each(otherRejections)("leaves out the one with %s", async (_what, rejection) => {
    rejectAll(rejection)
    const before = modelRequests(failing)
    for (const [path, fields] of requests) {
      const { status } = await gateway.call("POST", path, { model: "shared", ...fields })
      expect([path, status]).toEqual([path, 200])
    }
    expect(modelRequests(failing) - before).toBeLessThanOrEqual(2)
    expect(await health()).toMatchObject({ status: "resting" })
  })

  it.each(rejections)("uses the one with %s again once it answers", async (_what, rejection) => {
    rejectAll(rejection)
    await gateway.call("POST", "/v1/chat/completions", { model: "shared", messages })
    failing.clearFaults()
    await waitFor(async () => {
      await gateway.call("POST", "/v1/chat/completions", { model: "shared", messages })
      return (await health()).status === "healthy"
    })
    expect(await health()).toMatchObject({ last_error: null })
  })

  it.each(callersFaults)("keeps the one that reports %s", async (_what, fault, expected) => {
    rejectAll(fault)
    const before = [modelRequests(failing), modelRequests(healthy)]
    for (let turn = 1; turn <= 2; turn++) {
      const body = { model: "shared", messages }
      expect((await gateway.call("POST", "/v1/chat/completions", body)).status).toBe(expected)
      expect([modelRequests(failing), modelRequests(healthy)]).toEqual([
        (before[0] ?? 0) + turn,
        before[1],
      ])
    }
    expect(await health()).toMatchObject({ status: "healthy" })
  })

  it("reports the one that may answer later if neither answers", async () => {
    const busy = { status: 429, body: { error: { message: "slow down" } } }
    rejectAll({ status: 401, body: {} })
    rejectAll(busy, healthy)
    const body = { model: "shared", messages }
    const reply = await gateway.call("POST", "/v1/chat/completions", body)
    expect(reply).toMatchObject({ status: 429, body: busy.body })
  })
})

it("keeps the error of a model's only connection", async () => {
  const only = await startFakeOpenAI({ models: ["shared"] })
  const gateway = await startGateway({ OPENAI_API_BASE_URLS: only.url })
  await waitUntilListed(gateway)
  const missing = { error: { code: "model_not_found", message: "No such model", param: null } }
  for (const [status, body, expected] of [
    [401, {}, { status: 502, body: { error: { code: "upstream_credentials" } } }],
    [404, missing, { status: 404, body: missing }],
  ] as const) {
    only.injectFault({ kind: "status", status, body }, { on: /chat/, times: 2 })
    for (let turn = 0; turn < 2; turn++) {
      const request = { model: "shared", messages }
      expect(await gateway.call("POST", "/v1/chat/completions", request)).toMatchObject(expected)
    }
  }
  await gateway.stop()
  await only.close()
})

it("keeps the other models of a connection that lacks one", async () => {
  const first = await startFakeOpenAI({ models: ["gone", "kept"] })
  const second = await startFakeOpenAI({ models: ["gone", "kept"] })
  const gateway = await startGateway({ OPENAI_API_BASE_URLS: `${first.url};${second.url}` })
  await waitUntilListed(gateway)
  const body = { error: { code: "model_not_found", message: "No", param: null } }
  first.injectFault({ kind: "status", status: 404, body }, { on: /chat/ })
  const chat = async (model: string) =>
    (await gateway.call("POST", "/v1/chat/completions", { model, messages })).status
  const countChats = () => first.requests.filter(({ path }) => /chat/.test(path)).length
  const before = countChats()
  expect([await chat("gone"), await chat("kept")]).toEqual([200, 200])
  expect(countChats()).toBe(before + 2)
  await gateway.stop()
  await first.close()
  await second.close()
})

it("tries the next runtime for a native request", async () => {
  const first = await startFakeOllama({ models: ["llama3.2"] })
  const second = await startFakeOllama({ models: ["llama3.2"] })
  const gateway = await startGateway({ OLLAMA_BASE_URLS: `${first.url};${second.url}` })
  await waitUntilListed(gateway)
  const body = { error: 'model "llama3.2" not found, try pulling it first' }
  first.injectFault({ kind: "status", status: 404, body }, { on: /api\/(chat|show)/, times: 2 })
  for (const path of ["/ollama/api/chat", "/ollama/api/show"]) {
    const request = { model: "llama3.2", messages, stream: false }
    expect((await gateway.call("POST", path, request)).status).toBe(200)
  }
  await gateway.stop()
  await first.close()
  await second.close()
})

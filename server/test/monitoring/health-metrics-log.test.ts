import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

let upstream: FakeOpenAI
let gateway: TestGateway

const chat = (content: string) => ({ model: "gpt-fake", messages: [{ role: "user", content }] })
const anonymous = { key: null }

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

describe("operational endpoints", () => {
  it("serve health, readiness, version and configuration to anyone", async () => {
    for (const path of ["/health", "/ready", "/api/version", "/api/config"]) {
      const { status } = await gateway.call("GET", path, undefined, anonymous)
      expect(status, path).toBe(200)
    }
  })

  it("tell the sign-in page whether an account exists", async () => {
    const { body } = await gateway.call("GET", "/api/config", undefined, anonymous)
    expect(body).toMatchObject({ first_run: false, signup: false, runtime_prefix: "ollama" })
  })

  it("report requests, tokens and durations under OpenTelemetry names", async () => {
    await gateway.call("POST", "/v1/chat/completions", chat("count me"))
    const { body, headers } = await gateway.call("GET", "/metrics", undefined, anonymous)
    const labels = 'gen_ai_operation_name="chat",gen_ai_request_model="gpt-fake"'
    expect(headers.get("content-type")).toContain("text/plain")
    expect(body).toContain(`gen_ai_server_request_duration_seconds_count{${labels}`)
    expect(body).toContain(`gen_ai_server_time_to_first_token_seconds_count{${labels}`)
    expect(body).toMatch(/gen_ai_client_token_usage_total\{.*gen_ai_token_type="output"\} [1-9]/)
    expect(body).toContain("portico_usage_records_dropped_total 0")
    expect(body).toContain("portico_requests_running 0")
  })

  it("report what requests cost, with the labels of METRICS_LABELS", async () => {
    const priced = await startGateway({
      ...{ OPENAI_API_BASE_URLS: upstream.url, METRICS_LABELS: "group, user" },
    })
    await waitForModels(priced, ["gpt-fake"])
    const price = { from: 0, request: 1_500_000_000 }
    await priced.call("PUT", "/api/v1/prices/gpt-fake", price)
    const { body: group } = await priced.call("POST", "/api/v1/groups/create", { name: "Payers" })
    const { id, key } = await priced.createUser("Carla")
    await priced.call("POST", `/api/v1/groups/${group.id}/members/add`, { user_ids: [id] })
    for (let n = 0; n < 2; n++)
      await priced.call("POST", "/v1/chat/completions", chat("Hello"), { key })
    const { body } = await priced.call("GET", "/metrics", undefined, anonymous)
    const labels = 'gen_ai_request_model="gpt-fake",gen_ai_provider_name="openai"'
    expect(body).toContain(
      `portico_cost_dollars_total{${labels},group="${group.id}",user="${id}"} 3\n`,
    )
    await priced.stop()
  })

  it("refuse metrics to requests from a proxy", async () => {
    const headers = { "x-forwarded-for": "127.0.0.1" }
    const { status } = await gateway.call("GET", "/metrics", undefined, { key: null, headers })
    expect(status).toBe(401)
  })

  it("accept only METRICS_TOKEN for metrics once it is set", async () => {
    const guarded = await startGateway({ METRICS_TOKEN: "only-this" })
    expect((await guarded.call("GET", "/metrics", undefined, anonymous)).status).toBe(401)
    expect((await guarded.call("GET", "/metrics")).status).toBe(401)
    expect((await guarded.call("GET", "/metrics", undefined, { key: "only-this" })).status).toBe(
      200,
    )
    await guarded.stop()
  })
})

describe("the log", () => {
  it("has one line per request, with the request id of the reply", async () => {
    const headers = { "x-request-id": "from-the-caller-1" }
    const reply = await gateway.call("POST", "/v1/chat/completions?q=secret", chat("hi"), {
      headers,
    })
    expect(reply.headers.get("x-request-id")).toBe("from-the-caller-1")
    const lines = gateway.logLines.filter(({ request_id }) => request_id === "from-the-caller-1")
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      status: 200,
      model: "gpt-fake",
      connection: "env-openai-0",
    })
  })

  it("replaces an invalid request id", async () => {
    const headers = { "x-request-id": "no spaces allowed" }
    const reply = await gateway.call("GET", "/health", undefined, { headers })
    expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("contains no bodies, secrets or query strings", async () => {
    const password = "a password nobody may read"
    await gateway.call("POST", "/v1/chat/completions?token=in-the-query", chat("a private thought"))
    await gateway.call("POST", "/api/v1/auths/signin", { email: "ada@example.com", password })
    const log = JSON.stringify(gateway.logLines)
    for (const secret of [adminKey, adminPassword, password, "a private thought", "in-the-query"]) {
      expect(log).not.toContain(secret)
    }
  })
})

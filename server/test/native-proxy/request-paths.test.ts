import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonHeaders, type RelayTestbed, startRelayTestbed } from "../completions/relay-testbed.ts"
import { adminKey } from "../harness/gateway.ts"
import { sendRawRequest } from "../harness/raw-http.ts"

let upstream: RelayTestbed
beforeAll(async () => {
  upstream = await startRelayTestbed()
})
afterAll(() => upstream.stop())

describe("the path of a proxied request", () => {
  it.each([
    ...["/ollama/api/chat/../pull", "/ollama/./api/tags", "/ollama/api/%2e%2e/api/pull"],
    ...["/ollama/api/%2E%2e/pull", "/ollama/api%2fpull", "/ollama/api\\pull", "/ollama/api%5Cpull"],
    ...["/ollama/api/show%00", "/ollama/api/show%0a", "/ollama/api/show%252e", "/ollama/api/%zz"],
    ...["/ollama/v1/models/..%2f..%2fapi%2ftags", "/openai/models/a%2F..%2Fb", "/ollama/..;/x"],
    ...["/ollama/api/tags#x", "/openai/../ollama/api/pull"],
  ])("is rejected if ambiguous: %s", async (target) => {
    const before = upstream.paths.length
    const reply = await sendRawRequest(upstream.gateway.url, {
      target,
      headers: [`authorization: Bearer ${adminKey}`],
    })
    expect([400, 404]).toContain(reply.status)
    expect(upstream.paths.slice(before).filter((path) => !path.startsWith("/api/show"))).toEqual([])
  })

  it("may encode the slash in a model's id", async () => {
    upstream.respondWith((response) => void response.writeHead(200, jsonHeaders).end("{}"))
    const before = upstream.paths.length
    expect((await upstream.send("GET", "/openai/models/org%2Fm")).status).toBe(200)
    expect(upstream.paths.slice(before)).toEqual(["/v1/models/org%2Fm"])
  })
})

describe("duplicate Host headers", () => {
  it.each([
    ["GET", "/health", "here"],
    ["POST", "/v1/chat/completions", "here"],
    ["GET", "/v1/models", "there"],
  ])("are rejected: %s %s", async (method, target, second) => {
    const headers = ["host: localhost", `Host: ${second}`, "content-length: 0"]
    const reply = await sendRawRequest(upstream.gateway.url, { method, target, headers })
    expect(reply.status).toBe(400)
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: "bad_request" } })
  })
})

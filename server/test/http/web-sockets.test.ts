import { afterAll, beforeAll, expect, it } from "vitest"
import { adminKey, startGateway } from "../harness/gateway.ts"
import { sendRawRequest } from "../harness/raw-http.ts"

let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

const key = `authorization: Bearer ${adminKey}`
const handshake = [
  ...["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"],
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
]
const get = (target: string, headers: readonly string[]) =>
  sendRawRequest(gateway.url, { target, headers: [...headers] })

it.each([
  "/v1/responses",
  "/v1/responses/",
  "/v1/responses?client_version=1",
  "/api/v1/responses",
  "/api/responses",
  "/v1/chat/completions",
])("a WebSocket for %s is refused so that clients use HTTP", async (target) => {
  for (const headers of [[key, ...handshake], handshake]) {
    const reply = await get(target, headers)
    expect(reply.status).toBe(426)
    expect(reply.headers).toMatch(/^upgrade: HTTP\/1\.1/im)
    expect(JSON.parse(reply.body)).toMatchObject({
      error: { type: "invalid_request_error", code: "upgrade_required", param: null },
    })
  }
})

it("of Anthropic's API, the refusal has its format", async () => {
  const reply = await get("/v1/messages", [key, ...handshake])
  expect(reply.status).toBe(426)
  expect(JSON.parse(reply.body)).toMatchObject({ type: "error" })
})

it.each([
  ["none", [key]],
  ["another protocol", [key, "connection: Upgrade", "upgrade: h2c"]],
])("a GET with %s to upgrade to is still the wrong method", async (_protocol, headers) => {
  const reply = await get("/v1/responses", headers)
  expect(reply.status).toBe(405)
  expect(reply.headers).toMatch(/^allow: POST/im)
})

it("a route that answers GET requests ignores the request for a WebSocket", async () => {
  expect((await get("/v1/models", [key, ...handshake])).status).toBe(200)
})

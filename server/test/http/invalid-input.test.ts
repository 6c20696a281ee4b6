import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await gateway.createUser("Grace")
})
afterAll(async () => {
  const faults = gateway.logLines.filter((line) => line.err !== undefined || line.status === 500)
  expect(faults).toEqual([])
  await gateway.stop()
  await upstream.close()
  killAllGateways()
})

const chatPaths = ["/v1/chat/completions", "/api/chat/completions", "/api/v1/chat/completions"]
const apiPath = "/api/v1/groups/create"
const post = (path: string, body: unknown) => gateway.call("POST", path, body)
const messages = [{ role: "user", content: "hello" }]
const hello = { model: "gpt-fake", messages }
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
type Body = string | Uint8Array<ArrayBuffer> | ReadableStream
const postBytes = async (path: string, body: Body) => {
  const headers = { authorization: `Bearer ${adminKey}` }
  const response = await fetch(gateway.url + path, { method: "POST", headers, body })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text) }
}

describe("a body that is not a JSON object", () => {
  const bodies: [string, Body][] = [
    ["empty", ""],
    ["whitespace", "  \n"],
    ["truncated", '{"model":"gpt-fake"'],
    ["form-encoded", "model=gpt-fake"],
    ["with a trailing comma", '{"model":"x",}'],
    ["UTF-16", Buffer.from(JSON.stringify(hello), "utf16le")],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["nested 100,000 deep", nested(100_000)],
    ["nested 100,000 deep in a field", `{"name":${nested(100_000)},"model":"x","messages":[]}`],
    ["nested and unterminated", '{"a":'.repeat(100_000)],
  ]

  it.each(bodies)("is rejected in the route's error format: %s", async (_name, body) => {
    for (const path of chatPaths) {
      expect(await postBytes(path, body)).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_json", type: "invalid_request_error" } },
      })
    }
    const response = await postBytes(apiPath, body)
    expect(response.status).toBe(400)
    expect(response.body.code).toBe("invalid_json")
  })

  it.each(["null", "[]", '"text"', "1", "true"])(
    "is rejected even if it is valid JSON: %s",
    async (body) => {
      expect((await postBytes("/v1/chat/completions", body)).status).toBe(400)
      expect((await postBytes(apiPath, body)).status).toBe(422)
    },
  )

  it("is parsed as JSON whatever its Content-Type", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "nonsense"]) {
      const headers = { "content-type": type, accept: "image/png" }
      const { status } = await gateway.call("POST", "/v1/chat/completions", hello, { headers })
      expect([type, status]).toEqual([type, 200])
    }
  })
})

describe("a completion request with invalid fields", () => {
  const invalidRequests: [body: object, param: string, code: string][] = [
    [{ messages }, "model", "missing_parameter"],
    [{ model: null, messages }, "model", "missing_parameter"],
    [{ model: "", messages }, "model", "missing_parameter"],
    [{ model: 7, messages }, "model", "bad_request"],
    [{ model: ["gpt-fake"], messages }, "model", "bad_request"],
    [{ model: "gpt-fake" }, "messages", "missing_parameter"],
    [{ model: "gpt-fake", messages: "hello" }, "messages", "bad_request"],
    [{ model: "gpt-fake", messages: {} }, "messages", "bad_request"],
    [{ model: "gpt-fake", messages: [] }, "messages", "bad_request"],
    [{ model: "gpt-fake", messages: ["hello"] }, "messages", "bad_request"],
    [{ model: "gpt-fake", messages: [null] }, "messages", "bad_request"],
    [{ ...hello, stream: "yes" }, "stream", "bad_request"],
    [{ ...hello, model: "gpt-fake\r\nx-injected: 1" }, "model", "bad_request"],
    [{ ...hello, model: "gpt\u0000fake" }, "model", "bad_request"],
    [{ ...hello, model: "m".repeat(10_000) }, "model", "bad_request"],
  ]

  it.each(invalidRequests)("reports the field: %j", async (body, param, code) => {
    const before = upstream.requests.length
    for (const path of chatPaths) {
      const reply = await post(path, body)
      expect(reply).toMatchObject({ status: 400, body: { error: { param, code } } })
      expect(reply.body.detail).toBe(reply.body.error.message)
      expect(reply.headers.get("x-injected")).toBeNull()
    }
    const chats = upstream.requests.slice(before).filter(({ path }) => path.includes("chat"))
    expect(chats).toEqual([])
  })

  it.each([
    "nope",
    "a/b:c",
    "gpt-fake ",
    "模型",
    "\ud800",
    "../../etc",
    "__proto__",
    "constructor",
  ])("reports the unknown model %j", async (model) => {
    const { status, body } = await post("/v1/chat/completions", { ...hello, model })
    expect([status, body.error.code, body.error.param]).toEqual([404, "model_not_found", "model"])
  })

  it.each([
    '{"model":"gpt-fake","model":"other","messages":[{"role":"user","content":"x"}]}',
    '{"model":"gpt-fake","Model":"other","messages":[{"role":"user","content":"x"}]}',
    '{"model":"gpt-fake","\\u006dodel":"other","messages":[{"role":"user","content":"x"}]}',
    '{"messages":[],"model":"gpt-fake","MESSAGES":[{"role":"user","content":"x"}]}',
    '{"x":1,"model":"gpt-fake","messages":[{"role":"user","content":"x"}],"X":2}',
  ])("rejects a duplicate key: %s", async (body) => {
    for (const path of chatPaths) {
      const reply = await post(path, body)
      expect([reply.status, reply.body.error.code]).toEqual([400, "duplicate_parameter"])
    }
  })

  it("accepts a repeated key at a deeper level", async () => {
    const inner = '{"role":"user","content":"x","model":"y","x":{"a":1,"A":2}}'
    const body = `{"model":"gpt-fake","messages":[${inner}],"metadata":{"model":"m","messages":"n"}}`
    expect((await post("/v1/chat/completions", body)).status).toBe(200)
  })

  it("accepts ten thousand messages", async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      role: "user",
      content: `message ${n}`,
    }))
    const { status, body } = await post("/v1/chat/completions", { ...hello, messages: many })
    expect([status, body.choices[0].message.content]).toEqual([200, "You said: message 9999"])
  })
})

describe("text that cannot be stored", () => {
  it.each([
    ["U+0000", '{"name":"a\\u0000b"}', "name"],
    ["a lone high surrogate", '{"name":"a\\ud800b"}', "name"],
    ["a lone low surrogate", '{"name":"\\udc00"}', "name"],
    ["U+0000 in an unknown key", '{"name":"ok","a\\u0000":1}', "a\ufffd"],
    ["U+0000 in a nested value", '{"name":"ok","x":[{"y":"\\u0000"}]}', "x.0.y"],
  ])("is rejected: %s", async (_name, body, path) => {
    const reply = await post(apiPath, body)
    expect(reply).toMatchObject({ status: 422, body: { code: "invalid", errors: [{ path }] } })
  })

  it.each(["line\nbreak", "tab\there", "esc\u001b[31m", "del\u007f", "c1\u0085", "   "])(
    "is rejected as a name: %j",
    async (name) => {
      const email = "x@example.com"
      const newUser = { name, email, password: "long enough" }
      expect((await post("/api/v1/auths/add", newUser)).body.errors[0].path).toBe("name")
      expect((await post(apiPath, { name })).status).toBe(422)
    },
  )

  it("excludes no other Unicode: names are stored unchanged", async () => {
    for (const name of [
      "Ünïcödé",
      "名前",
      "👩‍👩‍👧",
      "עברית",
      "a\u0301",
      "x".repeat(200),
      "'; drop table users; --",
    ]) {
      const { status, body } = await post(apiPath, { name })
      expect([status, body.name]).toEqual([200, name])
      const found = await gateway.call("GET", `/api/v1/groups/?query=${encodeURIComponent(name)}`)
      expect(found.body.items.map((group: { name: string }) => group.name)).toContain(name)
    }
  })

  it.each([
    { name: "x".repeat(201) },
    { name: ["list"] },
    { name: { toString: "x" } },
    { name: 7 },
    {},
  ])("is distinguished from a wrong type or length: %j", async (body) => {
    const reply = await post(apiPath, body)
    expect(reply).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ path: "name" }] },
    })
  })
})

describe("a 100 MB body", () => {
  it("is rejected quickly and without buffering, with a length or chunked", async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), "portico-"))
    const server = await startTestGatewayProcess({ DATA_DIR, OPENAI_API_BASE_URLS: upstream.url })
    const resident = async () => {
      const { body } = await server.call("GET", "/metrics")
      return Number(/^process_resident_memory_bytes (\d+)/m.exec(body)?.[1]) / 1e6
    }
    const headers = { authorization: `Bearer ${adminKey}` }
    const big = Buffer.alloc(100e6, " ")
    const send = (path: string, body: Body) =>
      fetch(server.url + path, { method: "POST", headers, body, duplex: "half" } as RequestInit)
    const before = await resident()
    for (const path of ["/v1/chat/completions", apiPath, "/api/v1/auths/signin"]) {
      const since = performance.now()
      const reply = await send(path, big)
      expect(reply.status).toBe(413)
      expect(JSON.stringify(await reply.json())).toContain("body_too_large")
      expect(performance.now() - since).toBeLessThan(15_000)
    }
    const anonymous = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      body: big,
    })
    expect(anonymous.status).toBe(401)
    const pieces = ReadableStream.from(Array.from({ length: 100 }, () => big.subarray(0, 1e6)))
    const chunked = await send("/v1/chat/completions", pieces).catch(() => null)
    // The gateway may close the connection while the client is still sending.
    if (chunked) expect(chunked.status).toBe(413)
    expect((await server.call("GET", "/health")).status).toBe(200)
    expect((await resident()) - before).toBeLessThan(120)
    server.child.kill("SIGTERM")
    expect(await server.exited).toBe(0)
    rmSync(DATA_DIR, { recursive: true })
  }, 40_000)
})

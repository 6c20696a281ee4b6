import { createHash, randomBytes } from "node:crypto"
import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { maxDelayMs } from "../harness/timing.ts"

interface RawResponse {
  status: number | undefined
  headers: [string, string][]
  body: Buffer
}

/**
 * Sends a request with node:http, which adds no headers, follows no redirects and decodes nothing.
 */
const sendRawRequest = (
  base: string,
  { method = "GET", path = "/", key = "", body = "" as string | Buffer },
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body.length > 0 && { "content-length": Buffer.byteLength(body) }),
    }
    const request = httpRequest(base + path, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const pairs: [string, string][] = []
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          pairs.push([response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? ""])
        }
        resolve({ status: response.statusCode, headers: pairs, body: Buffer.concat(chunks) })
      })
    })
    request.on("error", reject)
    request.end(body)
  })

const hopHeaders = /^(connection|keep-alive|transfer-encoding|date|x-request-id)$/i
/** Removed or set by the gateway: see proxied-headers.test.ts. */
const proxyHeaders = /^(cache-control|content-security-policy|x-content-type-options)$/i
const endToEndHeaders = ({ headers }: RawResponse) =>
  headers.filter(([name]) => !hopHeaders.test(name) && !proxyHeaders.test(name))

let upstream: FakeOllama
let gateway: TestGateway
let userKey: string

beforeAll(async () => {
  upstream = await startFakeOllama()
  gateway = await startGateway({ OLLAMA_BASE_URLS: upstream.url })
  userKey = (await gateway.createUser("Grace")).key
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})
beforeEach(() => upstream.clearFaults())

const prompt =
  '{ "model" : "llama3.2", "prompt":"<b>&é \\u00e9 🙂", "options":{"seed":12345678901234567890} }'

describe("the native proxy", () => {
  it.each([
    ["POST", "/api/generate", prompt],
    ["POST", "/api/generate", prompt.replace("{", '{"stream":false,')],
    ["POST", "/api/chat", '{"model":"llama3.2","messages":[{"role":"user","content":"hi"}]}'],
    ["POST", "/api/embed", '{"model":"nomic-embed-text","input":["a","b"]}'],
    ["POST", "/api/embeddings", '{"model":"nomic-embed-text","prompt":"a"}'],
    ["POST", "/api/show", '{"model":"llama3.2"}'],
    [
      "POST",
      "/v1/chat/completions",
      '{"model":"llama3.2","messages":[{"role":"user","content":"hi"}],"stream":true}',
    ],
    ["GET", "/api/version", ""],
    ["GET", "/api/version?a=%2F&a=b%20c", ""],
    ["GET", "/v1/models/llama3.2", ""],
    ["GET", "/", ""],
    ["HEAD", "/", ""],
    ["POST", "/api/chat", '{"model":"llama3.2","messages":"no array"}'],
  ])("relays %s %s byte for byte", async (method, path, body) => {
    const direct = await sendRawRequest(upstream.url, { method, path, body })
    const proxied = await sendRawRequest(`${gateway.url}/ollama`, {
      method,
      path,
      body,
      key: userKey,
    })
    expect(proxied.status).toBe(direct.status)
    expect(proxied.body.equals(direct.body)).toBe(true)
    expect(endToEndHeaders(proxied)).toEqual(endToEndHeaders(direct))
    const [first, second] = upstream.requests.slice(-2)
    expect(second?.body).toEqual(first?.body)
    expect(second?.query).toEqual(first?.query)
  })

  it("removes the gateway's credentials", async () => {
    const headers = { cookie: `token=${adminKey}`, "x-api-key": adminKey, "x-other": "stays" }
    await gateway.call("POST", "/ollama/api/show", { model: "llama3.2" }, { headers })
    const sent = upstream.requests.at(-1)?.headers
    expect(sent).toMatchObject({ "x-other": "stays" })
    expect(JSON.stringify(sent)).not.toContain(adminKey)
  })

  it("removes what only concerns the gateway and the client's own account", async () => {
    const removed = {
      "openai-organization": "org-client",
      "openai-project": "proj-client",
      "api-key": "private-1",
      "x-goog-api-key": "private-2",
      "cf-access-client-secret": "private-3",
      "cf-access-jwt-assertion": "private-4",
      "x-auth-request-email": "private@example.com",
      "x-forwarded-for": "192.0.2.1",
      "x-real-ip": "192.0.2.1",
      "cf-connecting-ip": "192.0.2.1",
      "true-client-ip": "192.0.2.1",
      "proxy-authorization": "Basic private-5",
    }
    await gateway.call(
      "POST",
      "/ollama/api/show",
      { model: "llama3.2" },
      { headers: { ...removed, "user-agent": "test", "openai-beta": "stays" } },
    )
    const sent = upstream.requests.at(-1)?.headers
    expect(sent).toMatchObject({ "openai-beta": "stays", "user-agent": "test" })
    expect(Object.keys(removed).filter((name) => sent?.[name] !== undefined)).toEqual([])
  })

  it("streams a blob without buffering it", async () => {
    const blob = randomBytes(60_000_000)
    const digest = `sha256:${createHash("sha256").update(blob).digest("hex")}`
    const path = `/api/blobs/${digest}`
    const put = { method: "POST", path, body: blob, key: adminKey }
    const refused = await sendRawRequest(`${gateway.url}/ollama`, {
      ...put,
      body: "x",
      key: userKey,
    })
    expect(refused.status).toBe(403)
    expect((await sendRawRequest(`${gateway.url}/ollama`, put)).status).toBe(201)
    expect(upstream.blobs.get(digest)).toBe(blob.length)
    const head = await sendRawRequest(`${gateway.url}/ollama`, {
      method: "HEAD",
      path,
      key: adminKey,
    })
    expect(head.status).toBe(200)
  })

  it.each(["/api/pull", "/api//generate", "/api/experimental", "/API/generate"])(
    "reserves %s for administrators",
    async (path) => {
      const before = upstream.requests.length
      const { status, body } = await sendRawRequest(`${gateway.url}/ollama`, {
        method: "POST",
        path,
        body: '{"model":"llama3.2"}',
        key: userKey,
      })
      expect(status).toBe(403)
      expect(JSON.parse(body.toString())).toEqual({
        error: expect.stringContaining("administrators"),
      })
      expect(upstream.requests.slice(before).filter((r) => r.path.includes("pull"))).toEqual([])
    },
  )

  it.each([
    ['{"model":"llama3.2","model":"secret"}', 400, /appears more than once/],
    ['{"model":"llama3.2","MODEL":"secret"}', 400, /appears more than once/],
    ['{"prompt":"x"}', 400, /model is required/],
    ["{", 400, /not valid JSON/],
    ["", 400, /empty/],
    ["[]", 400, /JSON object/],
    ['{"model":"nobody"}', 404, /nobody/],
  ])("rejects %s", async (body, status, message) => {
    const reply = await sendRawRequest(`${gateway.url}/ollama`, {
      method: "POST",
      path: "/api/generate",
      body,
      key: userKey,
    })
    expect(reply.status).toBe(status)
    expect(JSON.parse(reply.body.toString()).error).toMatch(message)
  })

  it("checks the model that the runtime would read, whatever the case of its key", async () => {
    const { status } = await gateway.call("POST", "/ollama/api/show", { MODEL: "nobody" })
    expect(status).toBe(404)
    await gateway.call("POST", "/ollama/api/show", { Model: "llama3.2" })
    expect(upstream.requests.at(-1)?.json).toEqual({ Model: "llama3.2" })
  })

  it("rejects a request without a key, in the runtime's error format", async () => {
    const { status, body } = await gateway.call("GET", "/ollama/api/tags", undefined, { key: null })
    expect(status).toBe(401)
    expect(body).toEqual({ error: expect.any(String) })
  })

  it("aborts the runtime's request promptly when the client disconnects", async () => {
    upstream.injectFault({ kind: "slow_headers", ms: 15_000 }, { on: /generate/ })
    const arrived = upstream.nextRequest(/generate/)
    const disconnect = new AbortController()
    const pending = fetch(`${gateway.url}/ollama/api/generate`, {
      method: "POST",
      headers: { authorization: `Bearer ${userKey}` },
      body: '{"model":"llama3.2","prompt":"x","stream":false}',
      signal: disconnect.signal,
    })
    const request = await arrived
    const leftAt = Date.now()
    disconnect.abort()
    await expect(pending).rejects.toThrow()
    expect((await request.aborted) - leftAt).toBeLessThan(maxDelayMs)
  })

  it("reports an interrupted stream in a last line", async () => {
    upstream.injectFault({ kind: "break", after: 2, torn: true }, { on: /generate/ })
    const { status, body } = await sendRawRequest(`${gateway.url}/ollama`, {
      method: "POST",
      path: "/api/generate",
      body: '{"model":"llama3.2","prompt":"one two three four five"}',
      key: userKey,
    })
    const last = body.toString().trimEnd().split("\n").at(-1) ?? ""
    expect(status).toBe(200)
    expect(JSON.parse(last).error).toContain("closed the connection")
  })

  it("relays an upstream's error unchanged", async () => {
    const error = { error: "out of memory, try a smaller model" }
    upstream.injectFault({ kind: "status", status: 500, body: error }, { on: /generate/ })
    const { status, body } = await gateway.call("POST", "/ollama/api/generate", {
      model: "llama3.2",
      prompt: "x",
    })
    expect(status).toBe(500)
    expect(body).toEqual(error)
  })
})

import { createHmac, createSign, generateKeyPairSync, randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import {
  adminEmail,
  adminKey,
  adminPassword,
  startGateway,
  type TestGateway,
} from "../harness/gateway.ts"
import { sendRawBytes, sendRawRequest } from "../harness/raw-http.ts"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
})
afterAll(async () => {
  const faults = gateway.logLines.filter((line) => line.err !== undefined || line.status === 500)
  expect(faults).toEqual([])
  await gateway.stop()
  await upstream.close()
})

const encodeJson = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url")
const signToken = (header: object, claims: object, sign: (text: string) => string): string => {
  const text = `${encodeJson(header)}.${encodeJson(claims)}`
  return `${text}.${sign(text)}`
}

describe("an invalid token", () => {
  let token: string
  let claims: { sub: string; jti: string; exp: number; iat: number }
  const hs256 = { alg: "HS256", typ: "JWT" }
  const signWithKey = (key: string) => (text: string) =>
    createHmac("sha256", key).update(text).digest("base64url")

  beforeAll(async () => {
    const body = { email: adminEmail, password: adminPassword }
    token = (await gateway.call("POST", "/api/v1/auths/signin", body, { key: null })).body.token
    claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
  })

  it("gets the same 401 as a missing token", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const rs256 = (text: string) => createSign("sha256").update(text).sign(privateKey, "base64url")
    const [head, body, signature = ""] = token.split(".")
    const tokens = [
      signToken({ alg: "none" }, claims, () => ""),
      signToken({ alg: "None", typ: "JWT" }, claims, () => signature),
      signToken(hs256, claims, signWithKey("")),
      signToken(hs256, claims, signWithKey("a secret key for the tests, long enough")),
      signToken({ alg: "RS256", typ: "JWT" }, claims, rs256),
      signToken({ alg: "HS256", jwk: { kty: "oct", k: "YQ" } }, claims, signWithKey("a")),
      signToken({ alg: "HS256", kid: "../../dev/null" }, claims, signWithKey("")),
      `${head}.${encodeJson({ ...claims, sub: randomUUID() })}.${signature}`,
      `${head}.${encodeJson({ ...claims, exp: claims.exp + 1e6 })}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${head}.${body}.${signature.slice(0, -2)}AA`,
      `${token}.${token}`,
      "a.b.c",
      "sk-",
      `sk-${"x".repeat(5000)}`,
      "\u00ff\u00fe",
      "x".repeat(8000),
    ]
    const none = await gateway.call("GET", "/api/v1/auths/", undefined, { key: null })
    expect(none.status).toBe(401)
    expect(none.headers.get("www-authenticate")).toBe("Bearer")
    for (const bad of tokens) {
      const { status, body, headers } = await gateway.call("GET", "/api/v1/auths/", undefined, {
        key: bad,
      })
      expect([bad.slice(0, 60), status, body]).toEqual([bad.slice(0, 60), 401, none.body])
      expect(headers.get("www-authenticate")).toBe("Bearer")
    }
    expect((await gateway.call("GET", "/api/v1/auths/", undefined, { key: token })).status).toBe(
      200,
    )
  })
})

describe("a path", () => {
  const auth = `authorization: Bearer ${adminKey}`
  const get = (target: string, headers: string[] = []) =>
    sendRawRequest(gateway.url, { target, headers: [auth, ...headers] })

  it.each([
    ["/api/v1/users/%2F", 404],
    ["/api/v1/users/%00", 404],
    ["/api/v1/users/%zz", 404],
    ["/api/v1/users/%ff%fe", 404],
    ["/api/v1/users/%E2%82%28", 404],
    [`/api/v1/users/${"x".repeat(5000)}`, 404],
    ["/api/v1/groups/%00/members", 404],
    ["/v1/models/a%2Fb%3Ac", 404],
    ["/v1/models/%00", 404],
    ["/v1/models/%zz", 404],
    [`/v1/models/${"x".repeat(5000)}`, 404],
    ["/api/v1/models/model?id=%00", 422],
    ["/api/v1/users?query=%00", 422],
    ["/api/v1/users?page=%zz", 422],
    ["/api/v1/users?page=1&page=2", 200],
    ["/api/v1/usage?model=%00", 422],
    ["/api/v1/%2e%2e/v1/models", 200],
    ["http://elsewhere.example/api/v1/users/", 200],
    ["/api\\v1\\users", 400],
    ["*", 400],
  ])("with unusual characters gets a JSON reply: %s", async (target, status) => {
    const reply = await get(target)
    expect([target.slice(0, 60), reply.status]).toEqual([target.slice(0, 60), status])
    expect(reply.headers).toMatch(/content-type: application\/json/)
    expect(reply.headers).toContain("x-request-id: ")
    expect(() => JSON.parse(reply.body)).not.toThrow()
  })

  it.each(["a b", "[::1", "a/b", "a@b", "a,b", ""])(
    "with a malformed Host header is rejected with 400: %j",
    async (host) => {
      const reply = await get("/api/v1/auths/", [`host: ${host}`])
      expect(reply.status).toBe(400)
      expect(JSON.parse(reply.body)).toMatchObject({ code: "bad_request" })
    },
  )

  it.each([
    ["evil.example", 421],
    ["[::1]:80", 401],
    ["a b", 400],
    ["a/b", 400],
    ["a@b", 400],
    ["[::1", 400],
    ["", 400],
  ])("of the fast path with Host %j is authenticated or rejected", async (host, status) => {
    const headers = [`host: ${host}`, "content-length: 0"]
    const target = "/v1/chat/completions"
    const reply = await sendRawRequest(gateway.url, { method: "POST", target, headers })
    expect(reply.status).toBe(status)
    expect(reply.headers).toMatch(/content-type: application\/json/)
  })

  it("without a route gets 404 in the error format of its prefix", async () => {
    const body = async (path: string) => {
      const { status, body: responseBody } = await gateway.call("GET", path)
      expect([path, status]).toEqual([path, 404])
      return Object.keys(responseBody).sort()
    }
    expect(await body("/v1/nothing")).toEqual(["detail", "error"])
    expect(await body("/api/v1/nothing")).toEqual(["code", "detail"])
    expect(await body("/api/nothing/at/all")).toEqual(["code", "detail"])
    expect(await body("/scim/v2/Users")).toEqual(["detail", "schemas", "status"])
  })

  it("with the wrong method gets 405 with Allow, in the route's error format", async () => {
    const cases = [
      ["PATCH", "/api/v1/users/", "GET, HEAD", "detail"],
      ["GET", "/v1/chat/completions", "POST", "error"],
      ["GET", "/api/v1/chat/completions/", "POST", "error"],
      ["DELETE", "/api/chat/completions", "POST", "error"],
      ["PUT", "/api/v1/auths/api_keys", "GET, POST, HEAD", "detail"],
      ["OPTIONS", "/api/v1/auths/signin", "POST", "detail"],
    ]
    for (const [method = "", path = "", allow = "", key = ""] of cases) {
      const reply = await gateway.call(method, path, undefined)
      expect([path, reply.status, reply.headers.get("allow")]).toEqual([path, 405, allow])
      expect(reply.body).toHaveProperty(key)
    }
  })

  it("is the same with or without trailing slashes, without redirects", async () => {
    for (const path of ["/v1/models", "/api/v1/users", "/api/v1/auths", "/health", "/api/config"]) {
      for (const slash of ["", "/", "//", "/?x=1"]) {
        const reply = await get(path + slash)
        expect([path + slash, reply.status]).toEqual([path + slash, 200])
      }
    }
    const chat = { model: "gpt-fake", messages: [{ role: "user", content: "hi" }] }
    expect((await gateway.call("POST", "/api/chat/completions/", chat)).status).toBe(200)
  })
})

describe("malformed HTTP", () => {
  it.each([
    ["GARBAGE\r\n\r\n", 400],
    ["FOO /health HTTP/1.1\r\nhost: localhost\r\n\r\n", 400],
    ["GET /health HTTP/1.1\r\nhost: localhost\r\nbad\u0000header: 1\r\n\r\n", 400],
    ["POST /v1/models HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n", 400],
    [
      "POST /v1/models HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [`GET /health HTTP/1.1\r\nhost: localhost\r\nlong: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    [`GET /${"x".repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
  ])("gets a JSON reply and closes the connection: %j", async (bytes, status) => {
    const reply = await sendRawBytes(gateway.url, bytes)
    expect(reply.status).toBe(status)
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: "bad_request" } })
    expect(reply.headers).toContain("connection: close")
  })

  it("from a client that disconnects in mid-request is not logged as an error", async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminKey}`
    const response = await sendRawBytes(
      gateway.url,
      `${head}\r\ncontent-length: 100\r\n\r\n{"model"`,
      100,
    )
    expect(response.status).toBe(0)
    const line = () => gateway.logLines.find(({ aborted }) => aborted === true)
    await expect.poll(line).toMatchObject({ path: "/v1/chat/completions" })
    expect(line()?.level).toBe(30)
  })
})

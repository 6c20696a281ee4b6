import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createApp } from "../../src/app.ts"
import type { MountedRoute } from "../../src/http/server.ts"
import { createChatClient } from "../conversations/chat-client.ts"
import { type FakeIssuer, startFakeIssuer } from "../fakes/oidc-issuer.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, type TestGateway } from "../harness/gateway.ts"
import { sendRawBytes, sendRawRequest } from "../harness/raw-http.ts"
import { upload } from "../knowledge/collections.ts"
import { image } from "../messages/messages-testbed.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { providerEnv } from "../sso/provider-env.ts"
import { startSignOnGateway } from "../sso/sign-on-setup.ts"

// About 3,000 requests, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scimToken = "the-identity-providers-own-token"
const origin = "http://localhost:5173"

let gateway: TestGateway
let upstream: FakeOpenAI
let runtime: FakeOllama
let issuer: FakeIssuer
let userKey: string

beforeAll(async () => {
  upstream = await startFakeOpenAI({ apiKey: "up-key" })
  runtime = await startFakeOllama({ models: ["fake:1b"] })
  issuer = await startFakeIssuer()
  gateway = await startSignOnGateway({
    ENV: "dev",
    OPENAI_API_BASE_URLS: upstream.url,
    OPENAI_API_KEYS: "up-key",
    OLLAMA_BASE_URLS: runtime.url,
    SCIM_ENABLED: "true",
    SCIM_TOKEN: scimToken,
    CORS_ORIGINS: origin,
    ...providerEnv(issuer),
  })
  userKey = (await gateway.createUser("Grace")).key
  await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
  await waitForModels(gateway, ["gpt-fake", "fake:1b"])
})
afterAll(async () => {
  await gateway.stop()
  await Promise.all([upstream.close(), runtime.close(), issuer.close()])
})

/** Pages, scripts and styles of the API documentation, which are the same for everybody. */
const isPublicPage = (path: string): boolean => path.startsWith("/docs")

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Sends a request, and reads only the head of its response. */
const send = async (path: string, { method = "GET", headers = {}, body }: Sent = {}) => {
  const response = await fetch(gateway.url + path, {
    ...{ method, headers, redirect: "manual" as const },
    ...(body !== undefined && { body }),
  })
  await response.body?.cancel()
  return response
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** What is wrong with the headers of a private response; null if nothing is. */
const faultOf = (headers: Headers): string | null => {
  const caching = headers.get("cache-control") ?? ""
  // What is checked again before each use is not shown after access has ended.
  const isChecked = caching === "private, no-cache" && headers.has("etag")
  if (!/\bno-store\b/.test(caching) && !isChecked) return `cache-control: ${caching}`
  return headers.get("x-content-type-options") === "nosniff" ? null : "no nosniff"
}

describe("every route", () => {
  /** A path of the route whose parameters match nothing. */
  const pathOf = ({ path }: MountedRoute): string =>
    path.replace(/:\w+(\{[^}]*\})?/g, "nothing").replace("*", "api/tags")

  /** What is sent to a route: every method that reads, its own, and an unsupported one. */
  const requestsTo = (route: MountedRoute) => {
    const own = route.method === "ALL" ? ["GET", "POST", "DELETE"] : [route.method]
    const methods = [...new Set([...own, "HEAD", "OPTIONS", "GET", "PUT"])]
    return methods.flatMap((method) => {
      const isReading = ["GET", "HEAD", "OPTIONS"].includes(method)
      const keys = ["", userKey, scimToken, ...(isReading ? [adminKey] : [])]
      return keys.map((key) => ({ method, headers: bearer(key) }))
    })
  }

  it("lets no cache keep its responses, and no browser guess their type", async () => {
    const { routes } = createApp(gateway.gateway, pino({ enabled: false }))
    const answers: { name: string; status: number; fault: string | null }[] = []
    for (const route of routes.filter(({ path }) => !isPublicPage(path)))
      for (const request of requestsTo(route)) {
        const { status, headers } = await send(pathOf(route), request)
        answers.push({ name: `${request.method} ${route.path}`, status, fault: faultOf(headers) })
      }
    expect(answers.filter(({ fault }) => fault !== null)).toEqual([])
    const statuses = [...new Set(answers.map(({ status }) => status))]
    expect(statuses).toEqual(expect.arrayContaining([200, 302, 400, 401, 403, 404, 405, 429]))
  })
})

describe("a private response", () => {
  const messages = [{ role: "user", content: "hello" }]
  const post = (value: unknown, headers = bearer(adminKey)): Sent => ({
    ...{ method: "POST", headers, body: JSON.stringify(value) },
  })
  const preflight = (from: string): Sent => ({
    method: "OPTIONS",
    headers: { origin: from, "access-control-request-method": "POST" },
  })
  const native = { model: "fake:1b", messages }

  it.each<[what: string, path: string, sent: Sent, status: number]>([
    ["a preflight", "/v1/chat/completions", preflight(origin), 204],
    ["a preflight of another origin", "/v1/models", preflight("https://evil.example"), 405],
    ["a page of another origin", "/v1/models", { headers: { origin, ...bearer("x") } }, 401],
    ["the native proxy", "/ollama/api/chat", post({ ...native, stream: false }), 200],
    ["a stream of the native proxy", "/ollama/api/chat", post(native), 200],
    ["the native proxy's list", "/ollama/api/tags", { headers: bearer(adminKey) }, 200],
    ["an unknown native model", "/ollama/api/chat", post({ model: "none", messages }), 404],
    ["the OpenAI proxy", "/openai/chat/completions", post({ model: "gpt-fake", messages }), 200],
    ["a list of SCIM", "/api/v1/scim/v2/Users", { headers: bearer(scimToken) }, 200],
    ["an error of SCIM", "/api/v1/scim/v2/Users", post({}, bearer(scimToken)), 400],
    ["a start of sign-on", "/api/v1/sso/okta/start", {}, 302],
    ["a failed sign-on", "/api/v1/sso/okta/callback?state=x&code=y", {}, 302],
    ["a large body", "/api/v1/auths/signin", post({ password: "x".repeat(70_000) }), 413],
    ["an unknown path", "/v1/none", {}, 404],
    ["an unknown asset", "/assets/none.js", {}, 404],
    ["a path that cannot be decoded", "/api/v1/files/%ff", { headers: bearer(adminKey) }, 404],
  ])("is not kept: %s", async (_what, path, sent, status) => {
    const response = await send(path, sent)
    expect([response.status, faultOf(response.headers)]).toEqual([status, null])
  })

  it("is not kept if the request is not valid HTTP", async () => {
    const head = `GET /v1/models HTTP/1.1\r\nhost: ${new URL(gateway.url).host}\r\n`
    const answers = [
      await sendRawBytes(gateway.url, `${head}bad header\r\n\r\n`),
      await sendRawBytes(gateway.url, `${head}x: ${"y".repeat(20_000)}\r\n\r\n`),
      await sendRawBytes(gateway.url, `${head}host: b\r\n\r\n`),
      await sendRawRequest(gateway.url, { target: "/v1/models", headers: ["host: evil.example"] }),
      await sendRawRequest(gateway.url, { target: "/v1/[", headers: [] }),
      await sendRawRequest(gateway.url, {
        target: "/v1/responses",
        headers: ["connection: upgrade", "upgrade: websocket"],
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 431, 400, 421, 404, 426])
    for (const { headers } of answers) {
      expect(headers).toContain("cache-control: private, no-store\r\n")
      expect(headers).toContain("x-content-type-options: nosniff\r\n")
    }
  })

  it.each([{}, { range: "bytes=1-2" }, { range: "bytes=9-" }, { "if-none-match": "etag" }])(
    "is checked again before it is used: a file with %j",
    async (conditions) => {
      const { body } = await upload(gateway, "a.txt", "words")
      const path = `/api/v1/files/${body.id}/content`
      const { headers } = await send(path, { headers: bearer(adminKey) })
      const known =
        "if-none-match" in conditions ? { "if-none-match": headers.get("etag") ?? "" } : conditions
      const second = await send(path, { headers: { ...bearer(adminKey), ...known } })
      expect([second.status, faultOf(second.headers)]).toEqual([expect.any(Number), null])
    },
  )

  it("is checked again before it is used: an image of a chat", async () => {
    const ada = createChatClient(gateway, adminKey)
    const id = await ada.createChat()
    const images = [`data:image/png;base64,${image}`]
    const [user] = await ada.sendMessage(id, { content: "Look", images })
    const path = `/api/v1/chats/${id}/images/${user.images[0].id}`
    const { headers } = await send(path, { headers: bearer(adminKey) })
    expect(faultOf(headers)).toBeNull()
    const known = { "if-none-match": headers.get("etag") ?? "" }
    const second = await send(path, { headers: { ...bearer(adminKey), ...known } })
    expect([second.status, faultOf(second.headers)]).toEqual([304, null])
    const other = await send(path, { headers: { ...bearer(userKey), ...known } })
    expect([other.status, faultOf(other.headers)]).toEqual([404, null])
  })

  it("is not kept, whatever the provider's headers contain", async () => {
    for (const value of ["cache-control", "x-content-type-options"]) {
      upstream.injectFault({
        ...{ kind: "status" as const, status: 400, body: { error: { message: "No." } } },
        headers: { "openai-version": value, etag: value, "cache-control": "public, max-age=9999" },
      })
      const path = "/v1/chat/completions"
      const { headers } = await send(path, post({ model: "gpt-fake", messages }))
      expect(headers.get("openai-version")).toBe(value)
      expect(faultOf(headers)).toBeNull()
    }
  })
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitUntilListed } from "../connections/connection-client.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"

const listed = "http://localhost:5173"
const app = "app://obsidian.md"
const unlisted = "https://evil.example"
const apiPaths = [
  ...["/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat/completions"],
  ...["/ollama/api/chat", "/openai/chat/completions", "/api/v1/files", "/v1/models", "/v1/none"],
]
const chat = { model: "gpt-fake", messages: [{ role: "user", content: "hello" }] }

describe("pages of other origins", () => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let closed: TestGateway

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    const urls = { OPENAI_API_BASE_URLS: upstream.url }
    gateway = await startGateway({ ...urls, CORS_ORIGINS: `${listed}/, ${app}` })
    closed = await startGateway(urls)
    await waitUntilListed(gateway)
    await waitUntilListed(closed)
  })
  afterAll(async () => {
    await gateway.stop()
    await closed.stop()
    await upstream.close()
  })

  const preflight = (url: string, path: string, origin: string) =>
    fetch(url + path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key,anthropic-version",
      },
    })
  const send = (
    url: string,
    path: string,
    {
      origin,
      body,
      key = adminKey,
    }: {
      origin: string
      body?: object
      key?: string
    },
  ) =>
    fetch(url + path, {
      method: body ? "POST" : "GET",
      headers: { origin, authorization: `Bearer ${key}` },
      ...(body && { body: JSON.stringify(body) }),
    })

  it.each(apiPaths)(
    "may ask whether they may call %s if they are listed, without a key",
    async (path) => {
      for (const origin of [listed, app]) {
        const { status, headers } = await preflight(gateway.url, path, origin)
        expect([status, headers.get("access-control-allow-origin")]).toEqual([204, origin])
        expect(headers.get("access-control-allow-headers")).toBe("x-api-key,anthropic-version")
        expect(headers.get("access-control-allow-methods")).toContain("POST")
        expect(headers.get("access-control-allow-credentials")).toBeNull()
        expect(headers.get("access-control-max-age")).toMatch(/^\d+$/)
        expect(headers.get("vary")).toMatch(/Origin/)
      }
    },
  )

  it.each([
    ["a list", "/v1/models", undefined, 200],
    ["an answer", "/v1/chat/completions", chat, 200],
    ["a stream", "/v1/chat/completions", { ...chat, stream: true }, 200],
    ["a converted answer", "/v1/messages", { ...chat, max_tokens: 10 }, 200],
    ["a converted stream", "/v1/messages", { ...chat, max_tokens: 10, stream: true }, 200],
    ["an error", "/v1/chat/completions", { ...chat, model: "none" }, 404],
    ["an unknown path", "/v1/none", chat, 404],
    ["a native error", "/ollama/api/chat", chat, 503],
  ] as const)("may read %s if they are listed", async (_what, path, body, expected) => {
    const { status, headers } = await send(gateway.url, path, {
      origin: listed,
      ...(body && { body }),
    })
    expect(status).toBe(expected)
    expect(headers.get("access-control-allow-origin")).toBe(listed)
    expect(headers.get("access-control-allow-credentials")).toBeNull()
    const exposed = headers.get("access-control-expose-headers")?.split(", ")
    expect(exposed).toEqual(expect.arrayContaining(["x-request-id", "x-portico-dropped", "*"]))
    expect(headers.get("vary")).toMatch(/origin/i)
  })

  it("may read that a key is wrong if they are listed", async () => {
    const reply = await send(gateway.url, "/v1/models", { origin: listed, key: "sk-wrong" })
    expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([401, listed])
  })

  it("are refused if they are not listed, and all while none is", async () => {
    for (const [url, origin] of [
      [gateway.url, unlisted],
      [gateway.url, "null"],
      [closed.url, listed],
    ] as const) {
      const preflighted = await preflight(url, "/v1/chat/completions", origin)
      expect([preflighted.status, preflighted.headers.get("access-control-allow-origin")]).toEqual([
        405,
        null,
      ])
      const reply = await send(url, "/v1/chat/completions", { origin, body: chat })
      expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([200, null])
    }
  })

  it("cannot use a session cookie even if they are listed", async () => {
    const credentials = { email: "admin@example.com", password: "wrong password" }
    const reply = await send(gateway.url, "/api/v1/auths/signin", {
      origin: listed,
      body: credentials,
    })
    expect(reply.status).toBe(403)
  })
})

it.each(["*", "example.com", "https://example.com/app", "https://*.example.com", "null"])(
  "are not listed as %s",
  async (origins) => {
    await expect(startGateway({ CORS_ORIGINS: origins })).rejects.toThrow(/exact origins/)
  },
)

it.each([
  ...["https://example.com/myai", "https://example.com/?a=b", "https://example.com:8443/myai/"],
  ...["https://ada:secret@example.com", "https://ada@example.com", "https://example.com/#/"],
])("does not start behind a path: PUBLIC_URL=%s", async (url) => {
  await expect(startGateway({ PUBLIC_URL: url })).rejects.toThrow(/must not have a path/)
})

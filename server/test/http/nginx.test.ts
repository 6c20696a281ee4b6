import { once } from "node:events"
import { request as requestHttps } from "node:https"
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { cert } from "../../../packages/http1/test/certificate.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import {
  adminEmail,
  adminKey,
  adminPassword,
  startGateway,
  type TestGateway,
} from "../harness/gateway.ts"
import { findFreePort } from "../harness/ports.ts"
import { readUsageRecords, waitFor } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  type Nginx,
  nginxVersion,
  openHttp2Session,
  sendOverTls,
  startNginx,
} from "./start-nginx.ts"

const bearer = { authorization: `Bearer ${adminKey}` }
const slowReply = { fake_chunks: "20", fake_delay_ms: "150" }
const completionBody = (metadata: object = {}): string =>
  JSON.stringify({
    model: "gpt-fake",
    stream: true,
    messages: [{ role: "user", content: "hello there" }],
    metadata,
  })
const scimToken = "a-token-of-the-identity-provider"

describe.runIf(nginxVersion)("behind nginx as docs/operations.md configures it", () => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let nginx: Nginx
  let port = 0

  beforeAll(async () => {
    port = await findFreePort()
    upstream = await startFakeOpenAI({ models: ["gpt-fake", "org/family-7b:latest"] })
    gateway = await startGateway({
      OPENAI_API_BASE_URLS: upstream.url,
      ENABLE_OPENAI_PROXY: "true",
      PUBLIC_URL: `https://localhost:${port}`,
      TRUSTED_PROXIES: "127.0.0.1",
      ENV: "dev",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: scimToken,
    })
    await waitForModels(gateway, ["gpt-fake"])
    nginx = await startNginx(port, gateway.url)
  })
  afterEach(() => upstream.clearFaults())
  afterAll(async () => {
    await nginx?.stop()
    await gateway.stop()
    await upstream.close()
  })

  /** The arrival time of each chunk of a streamed answer, and the complete text. */
  const streamOverHttp2 = async (metadata: object) => {
    const session = openHttp2Session(port)
    onTestFinished(() => session.destroy())
    const stream = session.request({
      ":method": "POST",
      ":path": "/v1/chat/completions",
      ...bearer,
    })
    stream.end(completionBody(metadata))
    const times: number[] = []
    let text = ""
    for await (const chunk of stream) {
      times.push(performance.now())
      text += chunk
    }
    return { times, text }
  }

  it("streams each token as it arrives, over HTTP/2", async () => {
    const { times, text } = await streamOverHttp2(slowReply)
    expect(text).toMatch(/\[DONE\]\n\n$/)
    expect(times.length).toBeGreaterThanOrEqual(15)
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1500)
  })

  it.each(["HTTP/1.1", "HTTP/2"])(
    "aborts the request to the provider when an %s client disconnects",
    async (version) => {
      const arrived = upstream.nextRequest(/chat/)
      const path = "/v1/chat/completions"
      if (version === "HTTP/2") {
        const session = openHttp2Session(port)
        onTestFinished(() => session.destroy())
        const stream = session.request({ ":method": "POST", ":path": path, ...bearer })
        stream.end(completionBody(slowReply))
        await once(stream, "data")
        stream.close()
      } else {
        const target = {
          host: "127.0.0.1",
          servername: "localhost",
          port,
          ca: cert,
          agent: false as const,
        }
        const clientRequest = requestHttps({ ...target, method: "POST", path, headers: bearer })
        clientRequest.end(completionBody(slowReply))
        const [response] = await once(clientRequest, "response")
        await once(response, "data")
        clientRequest.on("error", () => {})
        clientRequest.destroy()
      }
      const { aborted, sent } = await arrived
      await aborted
      expect(sent.body.toString()).not.toContain("[DONE]")
      await waitFor(
        async () => (await readUsageRecords(gateway)).at(-1)?.outcome === "client_cancelled",
      )
    },
  )

  it("takes the client's address from the proxy, not from the client", async () => {
    const id = `from-${Date.now()}`
    const headers = { ...bearer, "x-request-id": id, "x-forwarded-for": "203.0.113.9" }
    await sendOverTls(port, { path: "/api/v1/auths/", headers })
    const line = await waitFor(() => gateway.logLines.find(({ request_id }) => request_id === id))
    // nginx appends the address that it sees, which is a trusted one here, so the preceding one is
    // used.
    expect(line.address).toBe("203.0.113.9")
  })

  it("sets a Secure cookie, and accepts changes from the same origin only", async () => {
    const signedIn = await sendOverTls(port, {
      method: "POST",
      path: "/api/v1/auths/signin",
      headers: { "content-type": "application/json", origin: `https://localhost:${port}` },
      body: JSON.stringify({ email: adminEmail, password: adminPassword }),
    })
    expect(signedIn.status).toBe(200)
    const [setCookie = ""] = signedIn.headers["set-cookie"] ?? []
    expect(setCookie).toMatch(/; Secure/)
    const cookie = setCookie.split(";", 1)[0] ?? ""
    const change = (origin: string) =>
      sendOverTls(port, {
        method: "POST",
        path: "/api/v1/chats/new",
        headers: { cookie, origin, "content-type": "application/json" },
        body: JSON.stringify({ chat: { title: "By cookie" } }),
      })
    expect((await change(`https://localhost:${port}`)).status).toBe(200)
    expect((await change("https://evil.example")).status).toBe(403)
  })

  it("relays a provider's reply with large headers", async () => {
    const headers = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`openai-detail-${at}`, "r".repeat(900)]),
    )
    upstream.injectFault({ kind: "status", status: 200, headers }, { on: /files/ })
    const reply = await sendOverTls(port, { path: "/openai/files", headers: bearer })
    expect([reply.status, reply.body]).toEqual([200, "{}"])
  })

  it("accepts large cookies", async () => {
    const headers = { ...bearer, cookie: `other=${"c".repeat(7000)}` }
    expect((await sendOverTls(port, { path: "/api/v1/auths/", headers })).status).toBe(200)
  })

  it("preserves encoded paths, including encoded slashes", async () => {
    const { status, body } = await sendOverTls(port, {
      path: "/v1/models/org%2Ffamily-7b%3Alatest",
      headers: bearer,
    })
    expect([status, JSON.parse(body).id]).toEqual([200, "org/family-7b:latest"])
  })

  it("serves SCIM under the public address", async () => {
    const made = await sendOverTls(port, {
      method: "POST",
      path: "/api/v1/scim/v2/Users",
      headers: { authorization: `Bearer ${scimToken}`, "content-type": "application/scim+json" },
      body: JSON.stringify({
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: "grace@example.com",
      }),
    })
    expect(made.status).toBe(201)
    const { meta } = JSON.parse(made.body)
    const start = `https://localhost:${port}/api/v1/scim/v2/Users/`
    expect([meta.location.startsWith(start), made.headers.location]).toEqual([true, meta.location])
  })

  it("serves the API documentation and the OpenAPI document", async () => {
    const docs = await sendOverTls(port, { path: "/docs" })
    expect([docs.status, docs.headers["content-type"]]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ])
    const { body } = await sendOverTls(port, { path: "/openapi.json" })
    expect(JSON.parse(body).openapi).toBe("3.1.0")
  })

  it("carries 200 requests over one connection", async () => {
    const session = openHttp2Session(port)
    onTestFinished(() => session.destroy())
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const stream = session.request({ ":path": "/v1/models", ...bearer })
        stream.resume()
        const [headers] = await once(stream, "response")
        return headers[":status"]
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it("keeps streams open while nginx reloads its configuration", async () => {
    const arrived = upstream.nextRequest(/chat/)
    const streamed = streamOverHttp2(slowReply)
    await arrived
    nginx.child.kill("SIGHUP")
    const { text } = await streamed
    expect(text).toMatch(/\[DONE\]\n\n$/)
    expect((await sendOverTls(port, { path: "/health" })).status).toBe(200)
  })
})

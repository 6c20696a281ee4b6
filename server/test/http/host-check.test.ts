import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { sendRawBytes, sendRawRequest } from "../harness/raw-http.ts"

const auth = `authorization: Bearer ${adminKey}`
const chatBody = '{"model":"none","messages":[{"role":"user","content":"hi"}]}'

/**
 * A fast-path request, which the gateway's own parser handles unless it hands the connection over.
 */
const completionRequest = (host: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\n${auth}\r\n` +
  `content-length: ${chatBody.length}\r\n\r\n${chatBody}`

const statusFor = async (gateway: TestGateway, host: string, target = "/health") =>
  (await sendRawRequest(gateway.url, { target, headers: [`host: ${host}`, auth] })).status

describe("a gateway bound to a loopback address", () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway({
      SCIM_ENABLED: "true",
      SCIM_TOKEN: "a-scim-token-for-host-checks",
    })
  })
  afterAll(() => gateway.stop())

  it.each([
    "localhost",
    "LOCALHOST:8080",
    "portico.localhost",
    "127.0.0.1:1",
    "10.1.2.3",
    "[::1]:80",
    "[fd00::1]",
  ])("accepts %s", async (host) => {
    expect(await statusFor(gateway, host)).toBe(200)
  })

  it.each([
    "evil.example",
    "evil.example:8080",
    "localhost.evil.example",
    "notlocalhost",
    "127.0.0.1.evil.example",
  ])("rejects %s and names the setting that allows it", async (host) => {
    const reply = await sendRawRequest(gateway.url, {
      target: "/api/config",
      headers: [`host: ${host}`],
    })
    expect(reply.status).toBe(421)
    expect(reply.headers).toContain("x-request-id: ")
    const body = JSON.parse(reply.body)
    expect(body.code).toBe("host_not_allowed")
    expect(body.detail).toContain("set PUBLIC_URL")
  })

  it.each([
    ["GET", "/", "code"],
    ["GET", "/health", "code"],
    ["GET", "/ready", "code"],
    ["GET", "/metrics", "code"],
    ["GET", "/api/v1/auths", "code"],
    ["POST", "/api/v1/auths/signup", "code"],
    ["POST", "/api/v1/files/resumable", "code"],
    ["GET", "/nowhere", "code"],
    ["GET", "/v1/models", "error.code"],
    ["POST", "/v1/chat/completions", "error.code"],
    ["POST", "/api/chat/completions/", "error.code"],
    ["GET", "/openai/models", "error.code"],
    ["GET", "/ollama/api/tags", "error"],
    ["GET", "/api/v1/scim/v2/Users", "schemas"],
  ])(
    "rejects another host for %s %s, in that path's error format",
    async (method, target, member) => {
      const headers = ["host: evil.example", auth, "content-length: 0"]
      const reply = await sendRawRequest(gateway.url, { method, target, headers })
      expect(reply.status).toBe(421)
      expect(JSON.parse(reply.body)).toHaveProperty(member)
    },
  )

  it("checks the host of every request on a keep-alive connection, in both parsers", async () => {
    const config = (host: string) => `GET /api/config HTTP/1.1\r\nhost: ${host}\r\n\r\n`
    const statuses = async (requests: string[]): Promise<string[]> => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1")
      let text = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      })
      const found: string[] = []
      for (const request of requests) {
        socket.write(request)
        await expect
          .poll(() => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].length)
          .toBe(found.length + 1)
        found.push([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].at(-1)?.[1] ?? "")
      }
      socket.destroy()
      return found
    }
    expect(
      await statuses([
        completionRequest("localhost"),
        completionRequest("evil.example"),
        completionRequest("localhost"),
      ]),
    ).toEqual(["404", "421", "404"])
    expect(await statuses([config("localhost"), config("evil.example")])).toEqual(["200", "421"])
  })

  it("requires a Host header from HTTP/1.0 clients", async () => {
    const reply = await sendRawBytes(gateway.url, "GET /api/config HTTP/1.0\r\n\r\n")
    expect(reply.status).toBe(400)
    expect(JSON.parse(reply.body).detail).toContain("Host header")
  })

  it("logs rejected hosts", async () => {
    const headers = ["host: evil.example", "x-request-id: a-rebound-request"]
    await sendRawRequest(gateway.url, { target: "/v1/models", headers })
    const line = () => gateway.logLines.find(({ request_id }) => request_id === "a-rebound-request")
    await expect
      .poll(line)
      .toMatchObject({ status: 421, error: expect.stringContaining("evil.example") })
  })
})

describe("PUBLIC_URL", () => {
  it("allows its host name, with or without the port", async () => {
    const gateway = await startGateway({ PUBLIC_URL: "https://Models.example.com:8443" })
    try {
      for (const host of ["models.example.com", "models.example.com:8443", "localhost"]) {
        expect([host, await statusFor(gateway, host)]).toEqual([host, 200])
      }
      expect(await statusFor(gateway, "other.example.com")).toBe(421)
      expect(await statusFor(gateway, "models.example.com", "/metrics")).toBe(401)
    } finally {
      await gateway.stop()
    }
  })
})

describe("a gateway bound to all addresses", () => {
  it("accepts every host, but serves metrics only to this machine under a local name", async () => {
    const gateway = await startGateway({ HOST: "0.0.0.0" })
    try {
      expect(await statusFor(gateway, "models.example.com", "/api/config")).toBe(200)
      expect(await statusFor(gateway, "localhost", "/metrics")).toBe(200)
      expect(await statusFor(gateway, "evil.example", "/metrics")).toBe(401)
    } finally {
      await gateway.stop()
    }
  })
})

import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { openKeepAliveClient, type RawClient, type RawResponse } from "./keep-alive-client.ts"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: upstream.url,
    MAX_BODY_SIZE: "1MB",
  })
})
afterAll(async () => {
  const faults = gateway.logLines.filter((line) => line.err !== undefined || line.status === 500)
  expect(faults).toEqual([])
  await gateway.stop()
  await upstream.close()
})

const chat = (content: string, more: object = {}): string =>
  JSON.stringify({ model: "gpt-fake", messages: [{ role: "user", content }], ...more })

interface Request {
  body: string
  headers?: readonly string[]
  key?: string
  target?: string
}

const contentLength = (body: string): string => `content-length: ${Buffer.byteLength(body)}`
const head = ({ body, headers, key = adminKey, target = "POST /v1/chat/completions" }: Request) => {
  const lines = [`${target} HTTP/1.1`, "host: localhost", `authorization: Bearer ${key}`]
  return `${[...lines, ...(headers ?? [contentLength(body)])].join("\r\n")}\r\n\r\n`
}
const request = (headers: Request): string => head(headers) + headers.body
const health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"

const openClient = (): Promise<RawClient> => openKeepAliveClient(gateway.url)

const contentOf = ({ body }: RawResponse): string => JSON.parse(body).choices[0].message.content

/** Sends the pieces with pauses, so that each arrives separately. */
const trickle = async ({ send }: RawClient, pieces: readonly string[]): Promise<void> => {
  for (const piece of pieces) {
    send(piece)
    await sleep(15)
  }
}

describe("a keep-alive connection", () => {
  it("answers several completions and declares keep-alive", async () => {
    const client = await openClient()
    for (let round = 0; round < 3; round++) {
      client.send(request({ body: chat("Hello") }))
      const reply = await client.reply()
      expect(reply.status).toBe(200)
      expect(reply.headers).toMatchObject({
        connection: "keep-alive",
        "keep-alive": "timeout=75",
        "content-type": "application/json",
        date: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
        "x-request-id": expect.stringMatching(/^[\w-]+$/),
      })
    }
    client.socket.destroy()
  })

  it("answers the same for every framing of a request", async () => {
    const body = chat("Hello")
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const framings = [
      request({ body }),
      head({ body, headers: ["transfer-encoding: chunked"] }) + chunked,
      request({ body, headers: [`content-length: ${body.length}`, "x-a: 1", "x-a: 2"] }),
    ]
    const replies: RawResponse[] = []
    for (const framing of framings) {
      const client = await openClient()
      client.send(framing)
      const reply = await client.reply()
      for (const varyingHeader of ["x-request-id", "date"]) delete reply.headers[varyingHeader]
      replies.push({ ...reply, body: contentOf(reply) })
      client.socket.destroy()
    }
    expect(replies[0]?.status).toBe(200)
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).toEqual(replies[0])
  })

  it("reassembles requests split at any byte", async () => {
    const client = await openClient()
    const whole = request({ body: chat("Hello äöü €") })
    await trickle(client, [whole.slice(0, 9), whole.slice(9, 60), whole.slice(60)])
    expect((await client.reply()).status).toBe(200)
    const body = chat("x".repeat(200_000))
    const headers = head({ body })
    client.socket.destroy()
    const other = await openClient()
    await trickle(other, [headers, body.slice(0, 1), body.slice(1, 150_000), body.slice(150_000)])
    expect((await other.reply()).status).toBe(200)
    await trickle(other, [headers + body.slice(0, 10), body.slice(10)])
    expect((await other.reply()).status).toBe(200)
    other.socket.destroy()
  })

  it("answers pipelined requests in order", async () => {
    const client = await openClient()
    const streamed = chat("Hello", { stream: true })
    client.send(request({ body: chat("Hello") }) + request({ body: streamed }) + health)
    expect((await client.reply()).headers["content-type"]).toBe("application/json")
    expect((await client.reply()).body).toMatch(/data: \[DONE\]\n\n$/)
    expect(await client.reply()).toMatchObject({ status: 200 })
    client.send(request({ body: chat("Hello") }))
    expect((await client.reply()).status).toBe(200)
    client.socket.destroy()
  })

  it("alternates between fast-path and other requests", async () => {
    const client = await openClient()
    for (const [bytes, status] of [
      [request({ body: chat("Hello") }), 200],
      [health, 200],
      [request({ body: chat("Hello") }), 200],
      [request({ body: "", target: "GET /v1/chat/completions" }), 405],
      [request({ body: chat("Hello", { model: "none" }) }), 404],
    ] as const) {
      client.send(bytes)
      expect((await client.reply()).status).toBe(status)
    }
    client.socket.destroy()
  })

  it("sends 100 Continue before the body if requested", async () => {
    const client = await openClient()
    const body = chat("Hello")
    client.send(head({ body, headers: [contentLength(body), "expect: 100-continue"] }))
    expect((await client.reply()).status).toBe(100)
    client.send(body)
    expect((await client.reply()).status).toBe(200)
    client.socket.destroy()
  })

  it("rejects a request before reading its long body, and stays open", async () => {
    const client = await openClient()
    const body = chat("x".repeat(500_000))
    client.send(head({ body, key: "sk-nobody" }))
    const rejected = await client.reply()
    expect(rejected.status).toBe(401)
    expect(rejected.headers["www-authenticate"]).toBe("Bearer")
    client.send(body)
    client.send(request({ body: chat("Hello") }))
    expect((await client.reply()).status).toBe(200)
    client.socket.destroy()
  })

  it("stays open if the rest of a rejected body arrives late", async () => {
    const client = await openClient()
    const body = "x".repeat(100_000)
    client.send(head({ body, key: "sk-nobody", target: "POST /api/v1/chats/new" }) + body.slice(9))
    expect((await client.reply()).status).toBe(401)
    await waitForEarlierRequests(gateway)
    client.send(body.slice(0, 9) + health)
    expect((await client.reply()).status).toBe(200)
    client.socket.destroy()
  })

  it("rejects a declared length over the limit immediately", async () => {
    const client = await openClient()
    client.send(head({ body: "", headers: ["content-length: 100000000"] }))
    const rejected = await client.reply()
    expect(rejected.status).toBe(413)
    expect(JSON.parse(rejected.body).error.code).toBe("body_too_large")
    client.socket.destroy()
  })

  it("closes after a request with Connection: close", async () => {
    const client = await openClient()
    const body = chat("Hello")
    client.send(request({ body, headers: [contentLength(body), "connection: close"] }))
    expect((await client.reply()).headers.connection).toBe("close")
    expect(await client.untilClosed()).toBe("")
  })

  it.each([
    ["two lengths", ["content-length: 5", "content-length: 6"]],
    ["a length and chunks", ["content-length: 5", "transfer-encoding: chunked"]],
    ["an invalid length", ["content-length: 5x"]],
    ["an invalid header name", ["content-length: 5", "x(: 1"]],
    ["a lone line feed", ["content-length: 5", "x-a: 1\nx-b: 2"]],
  ])("rejects a request with %s and everything after it", async (_, headers) => {
    const client = await openClient()
    client.send(head({ body: "", headers }) + request({ body: chat("Hello") }))
    expect((await client.reply()).status).toBe(400)
    expect(await client.untilClosed()).toBe("")
  })

  it("logs a client that disconnects in the middle of a body, and leaves nothing in flight", async () => {
    const client = await openClient()
    const before = gateway.logLines.length
    client.send(`${head({ body: chat("x".repeat(1000)) })}{"model"`)
    await waitForEarlierRequests(gateway)
    client.socket.destroy()
    await expect
      .poll(() =>
        gateway.logLines.slice(before).find(({ path }) => path === "/v1/chat/completions"),
      )
      .toMatchObject({ aborted: true })
    expect(gateway.gateway.inFlight.count()).toBe(0)
  })

  it("closes when the client ends its side", async () => {
    const client = await openClient()
    client.send(request({ body: chat("Hello") }))
    await client.reply()
    client.socket.end()
    expect(await client.untilClosed()).toBe("")
  })
})

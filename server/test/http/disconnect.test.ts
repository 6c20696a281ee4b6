import { once } from "node:events"
import { createServer, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords, waitFor } from "../harness/json-records.ts"
import { listenOnLoopback } from "../harness/listen.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const MB = 1024 * 1024

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["gpt-fake"])
})
afterEach(() => upstream.clearFaults())
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const slow = { fake_chunks: "400", fake_delay_ms: "50" }
const question = (fields: object = {}) =>
  JSON.stringify({
    model: "gpt-fake",
    messages: [{ role: "user", content: "hello there" }],
    metadata: slow,
    ...fields,
  })

/** Sends a completion request on its own connection, which can be destroyed. */
const ask = (body: string, requestId: string) => {
  const sending = request(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${adminKey}`, "x-request-id": requestId },
  })
  sending.on("error", () => undefined)
  sending.end(body)
  return sending
}

const recordOf = (requestId: string) =>
  waitFor(async () => {
    const records = await readUsageRecords(gateway)
    const [record, ...more] = records.filter(({ request_id }) => request_id === requestId)
    expect(more).toEqual([])
    return record
  })

const underWay = () => gateway.gateway.running.count()

describe("a client that disconnects", () => {
  it("aborts the stream at the upstream and leaves an estimated usage record", async () => {
    const arrived = upstream.nextRequest(/chat/)
    const sending = ask(question({ stream: true }), "left-stream")
    const [reply]: IncomingMessage[] = await once(sending, "response")
    await once(reply ?? sending, "data")
    const left = Date.now()
    sending.destroy()
    expect((await (await arrived).aborted) - left).toBeLessThan(maxDelayMs)
    const record = await recordOf("left-stream")
    expect(record).toMatchObject({ outcome: "client_cancelled", estimated: 1, streamed: 1 })
    expect(record.tokens_in).toBeGreaterThan(0)
    expect(record.tokens_out).toBeGreaterThan(0)
    expect(underWay()).toBe(0)
    const line = await waitFor(() => gateway.logLines.find((l) => l.request_id === "left-stream"))
    expect(line).toMatchObject({ aborted: true, level: 30 })
  })

  it.each([
    ["before the upstream answers", question()],
    ["before a stream begins", question({ stream: true, metadata: undefined })],
  ])("aborts a request %s", async (name, body) => {
    upstream.injectFault({ kind: "hang" }, { on: /chat/ })
    const arrived = upstream.nextRequest(/chat/)
    const sending = ask(body, name.replaceAll(" ", "-"))
    const { aborted } = await arrived
    const left = Date.now()
    sending.destroy()
    expect((await aborted) - left).toBeLessThan(maxDelayMs)
    const record = await recordOf(name.replaceAll(" ", "-"))
    expect(record).toMatchObject({ outcome: "client_cancelled", estimated: 1, tokens_out: 0 })
    expect(record.tokens_in).toBeGreaterThan(0)
    expect(underWay()).toBe(0)
  })

  it("aborts a partially received non-streamed reply", async () => {
    upstream.injectFault({ kind: "slow_frames", ms: 10_000 }, { on: /chat/ })
    const arrived = upstream.nextRequest(/chat/)
    const sending = ask(question({ metadata: undefined }), "half-there")
    const seen = await arrived
    await waitFor(() => seen.sent.body.length > 0)
    const left = Date.now()
    sending.destroy()
    expect((await seen.aborted) - left).toBeLessThan(maxDelayMs)
    expect(await recordOf("half-there")).toMatchObject({ outcome: "client_cancelled" })
  })

  it("leaves nothing running if it disconnects during model discovery", async () => {
    await new Promise((resolve) => setTimeout(resolve, 2100))
    upstream.injectFault({ kind: "slow_headers", ms: 400 }, { on: /models/ })
    upstream.models.push({ ...upstream.models[0], id: "late-fake" } as (typeof upstream.models)[0])
    const asked = upstream.nextRequest(/models/)
    const sending = ask(question({ model: "late-fake", stream: true }), "left-early")
    await asked
    sending.destroy()
    expect(await recordOf("left-early")).toMatchObject({ outcome: "client_cancelled" })
    expect(underWay()).toBe(0)
  })

  it("is not reported as a server error if it disconnects while sending its request", async () => {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nx-request-id: torn-request\r\n`
    socket.write(`${head}Authorization: Bearer ${adminKey}\r\nContent-Length: 999\r\n\r\n{"model"`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    const line = await waitFor(() => gateway.logLines.find((l) => l.request_id === "torn-request"))
    expect(line).toMatchObject({ aborted: true, level: 30 })
    expect(line.status).not.toBe(500)
  })
})

/** An upstream that sends `size` bytes as fast as they are read. */
const startHose = async (size: number, contentType: string) => {
  let taken = 0
  const frame = `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(60_000)}"}}]}\n\n`
  const server = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url?.endsWith("/models")) return void response.end('{"data":[{"id":"hose"}]}')
    response.writeHead(200, { "content-type": contentType })
    const pour = (): void => {
      while (taken < size) {
        taken += frame.length
        if (!response.write(frame)) return void response.once("drain", pour)
      }
      response.end("data: [DONE]\n\n")
    }
    pour()
  })
  const port = await listenOnLoopback(server)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, taken: () => taken, close }
}

/** Resolves once no more bytes were read during twenty other requests to the gateway. */
const waitUntilStill = async (taken: () => number): Promise<void> => {
  for (let before = -1; before !== taken(); ) {
    before = taken()
    for (let n = 0; n < 20; n++) await gateway.call("GET", "/api/version")
  }
}

describe("a client that does not read", () => {
  it.each([
    ["a stream", "text/event-stream", {}],
    ["a stream with usage", "text/event-stream", { stream_options: { include_usage: true } }],
    ["a long reply", "application/json", { stream: false }],
  ])("applies backpressure for %s instead of buffering it", async (_name, type, fields) => {
    const hose = await startHose(100 * MB, type)
    const connection = { kind: "openai", name: "hose", base_url: hose.url }
    const { body } = await gateway.call("POST", "/api/v1/connections/create", connection)
    await waitForModels(gateway, ["hose"])
    const before = process.memoryUsage().rss
    const sending = ask(question({ model: "hose", stream: true, ...fields }), `hose-${type}`)
    const [reply]: IncomingMessage[] = await once(sending, "response")
    reply?.pause()
    await waitUntilStill(hose.taken)
    const held = hose.taken()
    expect(held).toBeLessThan(30 * MB)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MB)
    let read = 0
    reply?.on("data", (chunk: Buffer) => {
      read += chunk.length
    })
    reply?.resume()
    await once(reply ?? sending, "end")
    expect(read).toBeGreaterThanOrEqual(100 * MB)
    await gateway.call("DELETE", `/api/v1/connections/${body.id}`)
    hose.close()
  })
})

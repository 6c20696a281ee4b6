import { once } from "node:events"
import { createServer, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { readUsageRecords, waitFor } from "../harness/usage-records.ts"
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

const slowReply = { fake_chunks: "400", fake_delay_ms: "50" }
const completionBody = (fields: object = {}) =>
  JSON.stringify({
    model: "gpt-fake",
    messages: [{ role: "user", content: "hello there" }],
    metadata: slowReply,
    ...fields,
  })

/** Sends a completion request on its own connection, which can be destroyed. */
const sendCompletion = (body: string, requestId: string) => {
  const clientRequest = request(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${adminKey}`, "x-request-id": requestId },
  })
  clientRequest.on("error", () => undefined)
  clientRequest.end(body)
  return clientRequest
}

const recordOf = (requestId: string) =>
  waitFor(async () => {
    const records = await readUsageRecords(gateway)
    const [record, ...more] = records.filter(({ request_id }) => request_id === requestId)
    expect(more).toEqual([])
    return record
  })

const inFlightCount = () => gateway.gateway.inFlight.count()

describe("a client that disconnects", () => {
  it("aborts the stream at the upstream and leaves an estimated usage record", async () => {
    const arrived = upstream.nextRequest(/chat/)
    const clientRequest = sendCompletion(completionBody({ stream: true }), "left-stream")
    const [reply]: IncomingMessage[] = await once(clientRequest, "response")
    await once(reply ?? clientRequest, "data")
    const leftAt = Date.now()
    clientRequest.destroy()
    expect((await (await arrived).aborted) - leftAt).toBeLessThan(maxDelayMs)
    const record = await recordOf("left-stream")
    expect(record).toMatchObject({ outcome: "client_cancelled", estimated: 1, streamed: 1 })
    expect(record.tokens_in).toBeGreaterThan(0)
    expect(record.tokens_out).toBeGreaterThan(0)
    expect(inFlightCount()).toBe(0)
    const line = await waitFor(() => gateway.logLines.find((l) => l.request_id === "left-stream"))
    expect(line).toMatchObject({ aborted: true, level: 30 })
  })

  it.each([
    ["before the upstream answers", completionBody()],
    ["before a stream begins", completionBody({ stream: true, metadata: undefined })],
  ])("aborts a request %s", async (name, body) => {
    upstream.injectFault({ kind: "hang" }, { on: /chat/ })
    const arrived = upstream.nextRequest(/chat/)
    const clientRequest = sendCompletion(body, name.replaceAll(" ", "-"))
    const { aborted } = await arrived
    const leftAt = Date.now()
    clientRequest.destroy()
    expect((await aborted) - leftAt).toBeLessThan(maxDelayMs)
    const record = await recordOf(name.replaceAll(" ", "-"))
    expect(record).toMatchObject({ outcome: "client_cancelled", estimated: 1, tokens_out: 0 })
    expect(record.tokens_in).toBeGreaterThan(0)
    expect(inFlightCount()).toBe(0)
  })

  it("aborts a partially received non-streamed reply", async () => {
    upstream.injectFault({ kind: "slow_frames", ms: 10_000 }, { on: /chat/ })
    const arrived = upstream.nextRequest(/chat/)
    const clientRequest = sendCompletion(completionBody({ metadata: undefined }), "half-there")
    const seen = await arrived
    await waitFor(() => seen.sent.body.length > 0)
    const leftAt = Date.now()
    clientRequest.destroy()
    expect((await seen.aborted) - leftAt).toBeLessThan(maxDelayMs)
    expect(await recordOf("half-there")).toMatchObject({ outcome: "client_cancelled" })
  })

  it("leaves nothing running if it disconnects during model discovery", async () => {
    upstream.injectFault({ kind: "slow_headers", ms: 400 }, { on: /models/ })
    upstream.models.push({ ...upstream.models[0], id: "late-fake" } as (typeof upstream.models)[0])
    const modelsRequest = upstream.nextRequest(/models/)
    const clientRequest = sendCompletion(
      completionBody({ model: "late-fake", stream: true }),
      "left-early",
    )
    await modelsRequest
    clientRequest.destroy()
    expect(await recordOf("left-early")).toMatchObject({ outcome: "client_cancelled" })
    expect(inFlightCount()).toBe(0)
  })

  it("is not reported as a server error if it disconnects while sending its request", async () => {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nx-request-id: torn-request\r\n`
    socket.write(`${head}Authorization: Bearer ${adminKey}\r\nContent-Length: 999\r\n\r\n{"model"`)
    await waitForEarlierRequests(gateway)
    socket.destroy()
    const line = await waitFor(() => gateway.logLines.find((l) => l.request_id === "torn-request"))
    expect(line).toMatchObject({ aborted: true, level: 30 })
    expect(line.status).not.toBe(500)
  })
})

/** An upstream that sends `size` bytes as fast as they are read. */
const startFastUpstream = async (size: number, contentType: string) => {
  let sentBytes = 0
  const frame = `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(60_000)}"}}]}\n\n`
  const server = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url?.endsWith("/models")) return void response.end('{"data":[{"id":"hose"}]}')
    response.writeHead(200, { "content-type": contentType })
    const writeFrames = (): void => {
      while (sentBytes < size) {
        sentBytes += frame.length
        if (!response.write(frame)) return void response.once("drain", writeFrames)
      }
      response.end("data: [DONE]\n\n")
    }
    writeFrames()
  })
  const port = await listenOnLoopback(server)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, sentBytes: () => sentBytes, close }
}

/** Resolves once no more bytes were read during twenty other requests to the gateway. */
const waitForBackpressure = async (sentBytes: () => number): Promise<void> => {
  for (let before = -1; before !== sentBytes(); ) {
    before = sentBytes()
    for (let n = 0; n < 20; n++) await gateway.call("GET", "/api/version")
  }
}

describe("a client that does not read", () => {
  it.each([
    ["a stream", "text/event-stream", {}],
    ["a stream with usage", "text/event-stream", { stream_options: { include_usage: true } }],
    ["a long reply", "application/json", { stream: false }],
  ])("applies backpressure for %s instead of buffering it", async (_name, type, fields) => {
    const fastUpstream = await startFastUpstream(100 * MB, type)
    const connection = { kind: "openai", name: "hose", base_url: fastUpstream.url }
    const { body } = await gateway.call("POST", "/api/v1/connections/create", connection)
    await waitForModels(gateway, ["hose"])
    const before = process.memoryUsage().rss
    const clientRequest = sendCompletion(
      completionBody({ model: "hose", stream: true, ...fields }),
      `hose-${type}`,
    )
    const [reply]: IncomingMessage[] = await once(clientRequest, "response")
    reply?.pause()
    await waitForBackpressure(fastUpstream.sentBytes)
    const bytesWhilePaused = fastUpstream.sentBytes()
    expect(bytesWhilePaused).toBeLessThan(30 * MB)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MB)
    let read = 0
    reply?.on("data", (chunk: Buffer) => {
      read += chunk.length
    })
    reply?.resume()
    await once(reply ?? clientRequest, "end")
    expect(read).toBeGreaterThanOrEqual(100 * MB)
    await gateway.call("DELETE", `/api/v1/connections/${body.id}`)
    fastUpstream.close()
  })
})

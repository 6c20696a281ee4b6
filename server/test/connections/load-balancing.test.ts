import { createServer } from "node:http"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Fault } from "../fakes/faults.ts"
import { startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { readUsageRecords, waitFor } from "../harness/usage-records.ts"
import { waitUntilListed, waitUntilNoneRests } from "./connection-client.ts"

const chatWith = (gateway: TestGateway, model: string, fields: object = {}) =>
  gateway.call("POST", "/v1/chat/completions", {
    model,
    messages: [{ role: "user", content: "hello" }],
    ...fields,
  })

const countChats = ({ requests }: FakeOpenAI) =>
  requests.filter(({ path }) => /chat/.test(path)).length

describe("a model on two connections", () => {
  let first: FakeOpenAI
  let second: FakeOpenAI
  let gateway: TestGateway

  beforeAll(async () => {
    first = await startFakeOpenAI({ models: ["shared"] })
    second = await startFakeOpenAI({ models: ["shared"] })
    gateway = await startGateway({
      OPENAI_API_BASE_URLS: `${first.url};${second.url}`,
      UPSTREAM_FIRST_BYTE_TIMEOUT: "300ms",
      UPSTREAM_IDLE_TIMEOUT: "5s",
    })
    await waitUntilListed(gateway)
  })
  beforeEach(() => waitUntilNoneRests(gateway))
  afterEach(() => {
    first.clearFaults()
    second.clearFaults()
  })
  afterAll(async () => {
    await gateway.stop()
    await first.close()
    await second.close()
  })

  /** Sends one chat. @returns its response and how many requests each connection received */
  const chatOnce = async (stream: boolean) => {
    const before = [countChats(first), countChats(second)]
    const reply = await chatWith(gateway, "shared", { stream })
    const requested = [countChats(first), countChats(second)].map(
      (count, at) => count - (before[at] ?? 0),
    )
    const id = reply.headers.get("x-request-id")
    const records = (await readUsageRecords(gateway)).filter(({ request_id }) => request_id === id)
    return { ...reply, requested, records }
  }

  describe.each([false, true])("streamed: %s", (stream) => {
    it.each([
      ["a reset before the headers", { kind: "reset" }],
      ["429", { kind: "status", status: 429 }],
      ["502", { kind: "html", status: 502 }],
      ["503", { kind: "status", status: 503 }],
      ["504", { kind: "status", status: 504 }],
    ] satisfies [string, Fault][])("survives %s", async (_what, fault) => {
      first.injectFault(fault, { on: /chat/ })
      const { status, requested, records } = await chatOnce(stream)
      expect({ status, requested }).toEqual({ status: 200, requested: [1, 1] })
      expect(records).toMatchObject([{ outcome: "ok", connection_id: "env-openai-1" }])
    })

    it.each([
      ["a timeout", { kind: "hang" }, 504],
      ["a sign-in page", { kind: "html", status: 200 }, 502],
      ["a rejected request", { kind: "status", status: 400 }, 400],
      ["an internal error", { kind: "status", status: 500 }, 500],
    ] satisfies [string, Fault, number][])(
      "does not retry after %s",
      async (_, fault, expected) => {
        first.injectFault(fault, { on: /chat/ })
        const { status, requested } = await chatOnce(stream)
        expect({ status, requested }).toEqual({ status: expected, requested: [1, 0] })
      },
    )

    it("does not retry once a response has begun", async () => {
      first.injectFault({ kind: "break", after: 0 }, { on: /chat/ })
      const { status, requested } = await chatOnce(stream)
      expect({ status, requested }).toEqual({
        status: stream ? 200 : 502,
        requested: [1, 0],
      })
    })

    it.each([
      ["another status", { kind: "status", status: 503 }],
      ["a reset", { kind: "reset" }],
      ["a timeout", { kind: "hang" }],
    ] satisfies [string, Fault][])(
      "returns the first connection's response if the other has %s",
      async (_, fault) => {
        const body = { error: { message: "slow down", type: "x", param: null, code: "c" } }
        const headers = { "retry-after": "3" }
        first.injectFault({ kind: "status", status: 429, body, headers }, { on: /chat/ })
        second.injectFault(fault, { on: /chat/ })
        const reply = await chatOnce(stream)
        expect(reply).toMatchObject({ status: 429, body, requested: [1, 1] })
        expect(reply.headers.get("retry-after")).toBe("3")
        expect(reply.records).toMatchObject([{ status: 429, connection_id: "env-openai-0" }])
      },
    )
  })

  it("fails over when a connection is refused, avoids it for a while, and then uses it again", async () => {
    first.injectFault({ kind: "refuse" })
    await waitFor(async () => (await first.connections()) === 0)
    // By then, the gateway has noticed that its idle connections have closed.
    await waitForEarlierRequests(gateway)
    expect((await chatOnce(false)).requested).toEqual([0, 1])
    expect(gateway.gateway.registry.byId("env-openai-0")?.isResting()).toBe(true)
    const { body } = await gateway.call("GET", "/api/v1/connections")
    expect(body.items[0].health).toMatchObject({ status: "resting" })
    expect(body.items[0].health.last_error).toMatch(/connection refused/)
    expect(body.items[0].health.last_error_details).toMatch(/ECONNREFUSED/)
    await first.restart()
    await waitUntilNoneRests(gateway)
    expect((await chatOnce(false)).requested).toEqual([1, 0])
  })

  it("uses the less busy connection", async () => {
    const before = [countChats(first), countChats(second)]
    const metadata = { fake_chunks: "5", fake_delay_ms: "40" }
    const pendingRequest = Array.from({ length: 6 }, () =>
      chatWith(gateway, "shared", { stream: true, metadata }),
    )
    await Promise.all(pendingRequest)
    expect([countChats(first), countChats(second)]).toEqual(before.map((count) => count + 3))
  })
})

it("does not wait for the rest of a 503 response if there is another connection", async () => {
  const stuck = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url?.endsWith("/models")) return void response.end('{"data":[{"id":"shared"}]}')
    response.writeHead(503, { "content-type": "application/json" }).flushHeaders()
  })
  const port = await listenOnLoopback(stuck)
  const healthy = await startFakeOpenAI({ models: ["shared"] })
  const urls = `http://127.0.0.1:${port};${healthy.url}`
  const gateway = await startGateway({ OPENAI_API_BASE_URLS: urls })
  await waitUntilListed(gateway)
  const started = performance.now()
  expect((await chatWith(gateway, "shared")).status).toBe(200)
  // The limit for the rest is one second; otherwise the gateway would wait for
  // UPSTREAM_IDLE_TIMEOUT.
  expect(performance.now() - started).toBeLessThan(10_000)
  await gateway.stop()
  await healthy.close()
  stuck.closeAllConnections()
  stuck.close()
})

it("fails over from a connection deleted in the meantime, and still notices when the caller disconnects", async () => {
  const fakes = await Promise.all([1, 2, 3].map(() => startFakeOpenAI({ models: ["shared"] })))
  const [stuck, , last] = fakes
  if (!stuck || !last) throw new Error("The fake providers were not started")
  const gateway = await startGateway()
  const ids: string[] = []
  for (const [position, { url }] of fakes.entries()) {
    const connection = { kind: "openai", name: `number ${position}`, base_url: url, position }
    const { body } = await gateway.call("POST", "/api/v1/connections/create", connection)
    ids.push(body.id)
  }
  await waitFor(() => gateway.gateway.registry.endpoints().get("shared")?.length === 3)
  stuck.injectFault({ kind: "hang" }, { on: /chat/ })
  const hung = stuck.nextRequest(/chat/)
  const reached = last.nextRequest(/chat/)
  const leaving = new AbortController()
  const metadata = { fake_chunks: "50", fake_delay_ms: "50" }
  const pendingRequest = fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}` },
    body: JSON.stringify({
      model: "shared",
      stream: true,
      metadata,
      messages: [{ role: "user", content: "hello" }],
    }),
    signal: leaving.signal,
  })
  await hung
  await gateway.call("DELETE", `/api/v1/connections/${ids[1]}`)
  stuck.injectFault({ kind: "refuse" })
  expect((await pendingRequest).status).toBe(200)
  leaving.abort()
  expect(await (await reached).aborted).toBeGreaterThan(0)
  await gateway.stop()
  for (const fake of fakes) await fake.close()
})

it("prefers the runtime that has the model in memory", async () => {
  const cold = await startFakeOllama({ models: ["llama3.2"], autoLoad: false })
  const warm = await startFakeOllama({ models: ["llama3.2"], autoLoad: false })
  warm.load("llama3.2")
  const gateway = await startGateway({ OLLAMA_BASE_URLS: `${cold.url};${warm.url}` })
  await waitFor(() => gateway.gateway.registry.byId("env-ollama-1")?.isLoaded("llama3.2:latest"))
  for (const model of ["llama3.2:latest", "llama3.2"]) {
    expect((await chatWith(gateway, model)).status).toBe(200)
  }
  const requested = ({ requests }: typeof cold) => requests.filter(({ path }) => /chat/.test(path))
  expect([requested(cold).length, requested(warm).length]).toEqual([0, 2])
  await gateway.stop()
  await cold.close()
  await warm.close()
})

import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { Fault } from "../fakes/faults.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import type { RecordedRequest } from "../fakes/upstream.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createRandom } from "../harness/random.ts"
import { startStreamedCompletion } from "../harness/streamed-completion.ts"
import { waitFor } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

interface User {
  id: string
  key: string
}

/** Sends the headers and only part of the body of a request. */
const sendHalf = async (
  { url }: TestGateway,
  { key, path, type, headers, part }: Record<"key" | "path" | "type" | "headers" | "part", string>,
) => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("error", () => {})
  let answer = ""
  socket.on("data", (bytes) => {
    answer += bytes.toString()
  })
  await once(socket, "connect")
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: ${type}\r\n${headers}\r\n\r\n${part}`,
  )
  return { socket, answer: () => answer }
}

const sendHalfCompletion = (
  gateway: TestGateway,
  key: string,
  headers = "Content-Length: 900000",
) =>
  sendHalf(gateway, {
    ...{ key, headers, type: "application/json" },
    path: "/v1/chat/completions",
    part: headers.startsWith("Content-Length") ? '{"model":' : `100000\r\n${"[".repeat(400)}`,
  })

/** How a request to the provider ended. */
const outcomeOf = ({ abortedAt, sent }: RecordedRequest) => {
  if (abortedAt !== undefined) return "left"
  if (sent.status === undefined) return "reset"
  if (sent.status === 500) return "error"
  const isWhole = /data: \[DONE\]\s*$|^\{.*\}$/s.test(sent.body.toString())
  return isWhole ? "complete" : "cut"
}

describe("limits per user", () => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let bob: User
  let ada: User
  const openSockets: Socket[] = []

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    gateway = await startGateway({
      OPENAI_API_BASE_URLS: upstream.url,
      MAX_REQUESTS: "3/5",
      MAX_ANSWERS: "1/2",
      MAX_EVENT_STREAMS: "2/3",
      MAX_BUFFERED_BODIES: "1MB/2MB",
      MAX_UPLOADS: "1/2",
    })
    await waitForModels(gateway, ["gpt-fake"])
    bob = await gateway.createUser("Bob")
    ada = await gateway.createUser("Ann")
  })
  afterEach(() => {
    for (const socket of openSockets.splice(0)) socket.destroy()
    upstream.clearFaults()
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const currentUsage = () => {
    const { requests, answers, eventStreams, bodies, uploads } = gateway.gateway.limits
    return [requests, answers, eventStreams, bodies, uploads].map((limit) => limit.held())
  }
  const noUsage = [0, 0, 0, 0, 0]
  const chat = (key: string, fields: object = {}, signal?: AbortSignal) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      ...(signal && { signal }),
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: "gpt-fake",
        messages: [{ role: "user", content: "Hello" }],
        ...fields,
      }),
    })

  it("cap concurrent streams without affecting other users", async () => {
    const disconnect = new AbortController()
    const slowRequest = { stream: true, metadata: { fake_chunks: 200, fake_delay_ms: 50 } }
    const streams = await Promise.all(
      [1, 2, 3].map(() => chat(bob.key, slowRequest, disconnect.signal)),
    )
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    const refused = await chat(bob.key)
    expect(refused.status).toBe(429)
    expect(refused.headers.get("retry-after")).toBe("5")
    expect(await refused.json()).toMatchObject({
      error: {
        type: "rate_limit_error",
        code: "rate_limited",
        message: expect.stringMatching(/at most 3 model requests under way \(MAX_REQUESTS\)/),
      },
    })
    expect((await chat(ada.key)).status).toBe(200)
    disconnect.abort()
    await waitFor(() => gateway.gateway.limits.requests.held() === 0)
    expect((await chat(bob.key)).status).toBe(200)
  })

  it("cap buffered bodies, including incomplete ones", async () => {
    const first = await sendHalfCompletion(gateway, bob.key)
    openSockets.push(first.socket)
    await waitFor(() => gateway.gateway.limits.bodies.held(bob.id) === 900_000)
    const second = await sendHalfCompletion(gateway, bob.key)
    openSockets.push(second.socket)
    await waitFor(() => second.answer().includes("429 Too Many Requests"))
    expect(second.answer()).toMatch(/MAX_BUFFERED_BODIES/)
    const others = await sendHalfCompletion(gateway, ada.key)
    openSockets.push(others.socket)
    await waitFor(() => gateway.gateway.limits.bodies.held(ada.id) === 900_000)
    first.socket.destroy()
    others.socket.destroy()
    await waitFor(() => gateway.gateway.limits.bodies.held() === 0)
  })

  it("count chunked bodies by the bytes received so far", async () => {
    const bodies = gateway.gateway.limits.bodies
    const sendHalfCompletion = await sendHalf(gateway, {
      ...{ key: bob.key, type: "application/json", path: "/v1/chat/completions" },
      headers: "Transfer-Encoding: chunked",
      part: `200000\r\n{"a":"${"x".repeat(900_000)}`,
    })
    openSockets.push(sendHalfCompletion.socket)
    await waitFor(() => sendHalfCompletion.answer().includes("429 Too Many Requests"))
    sendHalfCompletion.socket.destroy()
    await waitFor(() => bodies.held() === 0)
  })

  it("cap concurrent uploads", async () => {
    const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello`
    const params = {
      ...{ path: "/api/v1/files/", type: "multipart/form-data; boundary=b", part },
      headers: "Content-Length: 5000",
    }
    const first = await sendHalf(gateway, { ...params, key: bob.key })
    openSockets.push(first.socket)
    await waitFor(() => gateway.gateway.limits.uploads.held(bob.id) === 1)
    const refused = await upload(gateway, "b.txt", "More", { key: bob.key })
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    expect(refused.body.detail).toMatch(/MAX_UPLOADS/)
    expect((await upload(gateway, "b.txt", "More", { key: ada.key })).status).toBe(200)
    first.socket.destroy()
    await waitFor(() => gateway.gateway.limits.uploads.held() === 0)
    expect((await upload(gateway, "b.txt", "More", { key: bob.key })).status).toBe(200)
  })

  it("cap event streams", async () => {
    const disconnect = new AbortController()
    const events = (key: string) =>
      fetch(`${gateway.url}/api/v1/events`, {
        headers: { authorization: `Bearer ${key}` },
        signal: disconnect.signal,
      })
    expect((await events(bob.key)).status).toBe(200)
    expect((await events(bob.key)).status).toBe(200)
    const refused = await events(bob.key)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toMatch(/MAX_EVENT_STREAMS/)
    expect((await events(ada.key)).status).toBe(200)
    disconnect.abort()
    await waitFor(() => gateway.gateway.limits.eventStreams.held() === 0)
  })

  it("count answers' requests as buffered bodies, and reject one that can never fit", async () => {
    const options = { key: bob.key }
    const messages = [
      { id: "1", role: "user", content: "x".repeat(450_000), created_at: 1 },
      { id: "2", parent_id: "1", role: "assistant", content: "y".repeat(450_000), created_at: 1 },
    ]
    const long = { title: "Long", created_at: 1, updated_at: 1, models: ["gpt-fake"], messages }
    const { body } = await gateway.call("POST", "/api/v1/chats/import", { chats: [long] }, options)
    const path = `/api/v1/chats/${body.ids[0]}`
    const refused = await gateway.call(
      "POST",
      `${path}/messages`,
      { content: "z".repeat(200_000) },
      options,
    )
    expect(refused).toMatchObject({ status: 413, body: { code: "body_too_large" } })
    expect(refused.body.detail).toMatch(
      /2 MB, which is too large for a model.*1 MB \(MAX_BUFFERED_BODIES\)/,
    )
    expect((await gateway.call("GET", path, undefined, options)).body.messages).toHaveLength(2)
    await waitFor(() => currentUsage().join() === noUsage.join())
  })

  it("cap concurrent answers in conversations", async () => {
    upstream.injectFault({ kind: "slow_frames", ms: 100 }, { on: /chat/, times: 1 })
    const options = { key: bob.key }
    const made = await gateway.call("POST", "/api/v1/chats/new", { models: ["gpt-fake"] }, options)
    const path = `/api/v1/chats/${made.body.id}/messages`
    const params = await gateway.call("POST", path, { content: "Slowly" }, options)
    expect(params.status).toBeLessThan(300)
    const other = await gateway.call("POST", "/api/v1/chats/new", { models: ["gpt-fake"] }, options)
    const refused = await gateway.call(
      ...(["POST", `/api/v1/chats/${other.body.id}/messages`, { content: "More" }] as const),
      options,
    )
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    expect(refused.body.detail).toMatch(/MAX_ANSWERS/)
    await gateway.call("POST", `/api/v1/chats/${made.body.id}/stop`, {}, options)
    await waitFor(() => gateway.gateway.limits.answers.held() === 0)
  })

  it.each([1, 2])("are released however requests end (seed %i)", async (seed) => {
    const random = createRandom(seed)
    const keys = [bob.key, ada.key]
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    const sendRandomRequest = async (): Promise<void> => {
      await sleep(random() * 500)
      const key = pick(keys)
      const disconnect = new AbortController()
      if (random() < 0.5) setTimeout(() => disconnect.abort(), random() * 200)
      if (random() < 0.2) {
        const { socket } = await sendHalfCompletion(gateway, key)
        await sleep(random() * 100)
        socket.destroy()
        return
      }
      if (random() < 0.2) await upload(gateway, "c.txt", `${random()}`, { key })
      const slowReply = { fake_chunks: 5, fake_delay_ms: 10 }
      const stream = random() < 0.5
      const response = await chat(key, { stream, metadata: slowReply }, disconnect.signal)
      await response.text()
    }
    const sentBefore = upstream.requests.length
    const faults: Fault[] = [
      { kind: "reset" },
      { kind: "status", status: 500 },
      { kind: "break", after: 2 },
    ]
    for (const fault of faults) {
      upstream.injectFault(fault, { on: /chat/ })
      // One client that stays until the end; those below may all disconnect earlier.
      await Promise.allSettled([
        chat(bob.key, { stream: true }).then((response) => response.text()),
      ])
    }
    for (const fault of faults) upstream.injectFault(fault, { on: /chat/, times: 4 })
    upstream.injectFault({ kind: "slow_frames", ms: 30 }, { on: /chat/, times: 4 })
    await Promise.allSettled(Array.from({ length: 80 }, sendRandomRequest))
    await waitFor(() => currentUsage().every((count) => count === 0))
    expect(currentUsage()).toEqual(noUsage)
    const outcomes = upstream.requests.slice(sentBefore).map(outcomeOf)
    expect(outcomes).toEqual(expect.arrayContaining(["reset", "error", "cut"]))
  })
})

it("default limits do not restrict normal use", async () => {
  const upstream = await startFakeOpenAI()
  const gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["gpt-fake"])
  const { MAX_REQUESTS, MAX_EVENT_STREAMS } = gateway.gateway.config
  expect(MAX_REQUESTS.perUser).toBeGreaterThanOrEqual(1000)
  expect(MAX_EVENT_STREAMS.perUser).toBeGreaterThanOrEqual(1000)
  const stream = await startStreamedCompletion(gateway, {
    key: "sk-admin-key-for-the-tests-0123456789",
    seconds: 1,
  })
  expect(stream.status).toBe(200)
  await stream.body
  expect(gateway.gateway.limits.requests.held()).toBe(0)
  await gateway.stop()
  await upstream.close()
})

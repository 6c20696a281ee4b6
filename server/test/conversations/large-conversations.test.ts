import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startLatencyProbe } from "../harness/latency-probe.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { followEventStream } from "./chat-client.ts"
import {
  type ApiCall,
  createExport,
  createMessages,
  importChat,
  readSnapshot,
  requestWithoutReading,
} from "./large-conversations.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(chooseDatabases())("a large chat on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let eve: { key: string }
  const call: ApiCall = (method, path, body) => gateway.call(method, path, body)
  const get = async (path: string, key = gateway.key) =>
    (await gateway.call("GET", path, undefined, { key })).body

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env)
    eve = await gateway.createUser("Eve")
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const readAll = async (id: string): Promise<string[]> => {
    const last = await get(`/api/v1/chats/${id}`)
    const pages = [last]
    while (pages[0].earlier !== null) {
      pages.unshift(await get(`/api/v1/chats/${id}/messages?before=${pages[0].earlier}`))
    }
    return pages.flatMap(({ messages }) =>
      messages.map(({ content }: { content: string }) => content),
    )
  }

  it("is read in pages, with each message once and in order", async () => {
    const id = await importChat(call, createExport(createMessages(1201, () => ({}))))
    const first = await get(`/api/v1/chats/${id}`)
    expect([first.messages.length, first.messages.at(-1).content]).toEqual([500, "message 1200"])
    expect(await readAll(id)).toEqual(
      createMessages(1201, () => ({})).map(({ content }) => content),
    )
  })

  it("has pages of bounded size; a message that exceeds it gets its own page", async () => {
    const sizes = [600_000, 10, 2_000_000, 600_000, 600_000, 300_000]
    const messages = createMessages(sizes.length, (n) => ({
      content: `${n}`.padEnd(sizes[n] ?? 0, "."),
    }))
    const id = await importChat(call, createExport(messages))
    const last = await get(`/api/v1/chats/${id}`)
    expect(last.messages.map(({ content }: { content: string }) => content.length)).toEqual([
      600_000, 300_000,
    ])
    expect((await readAll(id)).map(({ length }) => length)).toEqual(sizes)
  })

  it("can be exported and imported without loss", async () => {
    const id = await importChat(
      call,
      createExport(createMessages(300, (n) => ({ content: `${n}`.padEnd(9000, ".") }))),
    )
    const exported = await get(`/api/v1/chats/${id}/export`)
    const repeated = await importChat(call, exported)
    expect((await readAll(repeated)).join()).toBe((await readAll(id)).join())
    const markdown = await get(`/api/v1/chats/${id}/export?format=markdown`)
    const { body } = await call("POST", "/api/v1/chats/import", { markdown })
    expect((await readAll(body.ids[0])).join()).toBe((await readAll(id)).join())
  })

  it("may reference at most 10,000 files", async () => {
    const naming = (count: number) =>
      createMessages(Math.ceil(count / 100), (m) => ({
        files: Array.from({ length: Math.min(100, count - m * 100) }, (_, n) => ({
          type: "file",
          id: `invented ${m}-${n}`,
          name: "",
        })),
      }))
    const refused = await call("POST", "/api/v1/chats/import", {
      chats: [createExport(naming(10_001))],
    })
    expect(refused).toMatchObject({ status: 422 })
    expect(refused.body.detail).toMatch(/chats\.0: .*10000 different files/)
    expect(await importChat(call, createExport(naming(10_000)))).toBeTruthy()
  })

  it("is deleted with all its messages and images, without affecting other chats", async () => {
    const image = { media_type: "image/png", base64: Buffer.alloc(30).toString("base64") }
    const images = (n: number) => ({ images: n % 20 === 0 ? Array(10).fill(image) : [] })
    const [id, other] = [
      await importChat(call, createExport(createMessages(101, images))),
      await importChat(call, createExport(createMessages(21, images))),
    ]
    expect((await call("DELETE", `/api/v1/chats/${id}`)).status).toBe(200)
    expect((await call("GET", `/api/v1/chats/${id}`)).status).toBe(404)
    const left = await gateway.gateway.db.read
      .selectFrom("chat_images")
      .innerJoin("chat_messages", "chat_messages.id", "chat_images.message_id")
      .select("chat_id")
      .execute()
    expect(left.map(({ chat_id }) => chat_id)).toEqual(Array(20).fill(other))
    expect(await readAll(other)).toHaveLength(21)
  })

  it("hides its system prompt and parameters from the users it is shared with", async () => {
    const secret = { system: "The secret word is xyzzy", params: { temperature: 0.123 } }
    const id = await importChat(
      call,
      createExport(
        createMessages(2, () => ({})),
        secret,
      ),
    )
    await call("POST", `/api/v1/chats/${id}/share`, {})
    expect(await get(`/api/v1/chats/${id}`)).toMatchObject(secret)
    const seen = await get(`/api/v1/chats/${id}`, eve.key)
    const exported = await get(`/api/v1/chats/${id}/export`, eve.key)
    expect([seen.messages.length, exported.messages.length]).toEqual([2, 2])
    expect(JSON.stringify([seen, exported])).not.toMatch(/xyzzy|0\.123/)
  })

  it("is streamed in pieces, and a disconnected reader can resume in the middle", async () => {
    const id = await importChat(
      call,
      createExport(createMessages(400, (n) => ({ content: `${n}`.padEnd(5000) }))),
    )
    const path = `/api/v1/chats/${id}/events`
    const first = await followEventStream(gateway.url, path, gateway.key)
    const piece = await first.waitFor(({ name }) => name === "messages")
    first.leave()
    const response = await fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${gateway.key}`, "last-event-id": `${piece.idText}` },
    })
    const text = await readSnapshot(response)
    expect(text).not.toContain("event: snapshot")
    const known = first.events
      .slice(0, first.events.indexOf(piece) + 1)
      .flatMap(({ data }) => data.messages)
    const later = [...text.matchAll(/^data: (.*)$/gm)].flatMap(
      ([, data]) => JSON.parse(data ?? "").messages,
    )
    const contents = [...known, ...later].map(({ content }) => content.trim())
    expect(contents).toEqual(Array.from({ length: 400 }, (_, n) => `${n}`))
  })
})

describe.each(chooseDatabases())("a chat that grows on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway
  const call: ApiCall = (method, path, body) => gateway.call(method, path, body)

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["gpt-fake"])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  it("while it is being read is returned without duplicates and up to date", async () => {
    const messages = createMessages(60, (n) => ({ content: `${n}`.padEnd(300_000, ".") }))
    const params = { metadata: { fake_chunks: 40 } }
    const id = await importChat(call, createExport(messages, { models: ["gpt-fake"], params }))
    const socket = await requestWithoutReading(
      gateway.url,
      `/api/v1/chats/${id}/events`,
      gateway.key,
    )
    const output = "word ".repeat(150_000)
    const requested = await call("POST", `/api/v1/chats/${id}/messages`, { content: output })
    const answerId = requested.body.messages[1].id
    const answer = async () => (await call("GET", `/api/v1/chats/${id}`)).body.messages.at(-1)
    await vi.waitFor(async () => expect((await answer()).state).toBe("completed"), 20_000)

    const chunks: string[] = []
    socket.setEncoding("utf8").on("data", (chunk: string) => void chunks.push(chunk))
    socket.resume()
    const events = () => [...chunks.join("").matchAll(/^event: (.*)\ndata: (.*)$/gm)]
    const shown = () =>
      events()
        .filter(([, name]) => name === "message")
        .map(([, , data]) => JSON.parse(data ?? ""))
        .findLast((message) => message.id === answerId)
    await vi.waitFor(() => expect(shown()?.state).toBe("completed"), {
      timeout: 20_000,
      interval: 500,
    })
    socket.destroy()
    expect(shown().content).toBe((await answer()).content)
    expect(shown().content.length).toBeGreaterThan(700_000)
    expect(events().filter(([, name]) => name === "snapshot")).toHaveLength(1)
  })
})

describe("one user's large chats", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
  let server: TestGatewayProcess

  beforeAll(async () => {
    server = await startTestGatewayProcess({ DATA_DIR: dataDir })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true })
    killAllGateways()
  })

  const reader = async (): Promise<string> => {
    const account = { name: "Eve", email: "eve@example.com", password: "Eve has a password" }
    await server.call("POST", "/api/v1/auths/add", account)
    const { body } = await server.call("POST", "/api/v1/auths/signin", account)
    return body.token
  }

  it("do not delay other users when they reference thousands of files and are shared", async () => {
    const files = (m: number) =>
      Array.from({ length: 100 }, (_, n) => ({ type: "file", id: `no ${m}-${n}`, name: "" }))
    const id = await importChat(
      server.call,
      createExport(createMessages(100, (m) => ({ files: files(m) }))),
    )
    await server.call("POST", `/api/v1/chats/${id}/share`, {})
    const key = await reader()
    const prober = await startLatencyProbe(server.url)
    for (const path of ["", "/export"]) {
      const { status } = await server.call("GET", `/api/v1/chats/${id}${path}`, undefined, key)
      expect(status).toBe(200)
    }
    const following = await followEventStream(server.url, `/api/v1/chats/${id}/events`, key)
    await following.waitFor(({ data }) => data.has_more === false)
    following.leave()
    const { maxMs, controlMs } = await prober.stop()
    // With one query per file, it took five seconds; with one per hundred files, a few
    // milliseconds.
    expect(maxMs).toBeLessThan(1000 + controlMs)
  })

  it("do not delay other users when they are deleted", async () => {
    const content = "x".repeat(2200)
    const id = await importChat(
      server.call,
      createExport(createMessages(20_000, () => ({ content }))),
    )
    const prober = await startLatencyProbe(server.url)
    const started = performance.now()
    const { status } = await server.call("DELETE", `/api/v1/chats/${id}`)
    const tookMs = performance.now() - started
    const { maxMs, controlMs } = await prober.stop()
    expect(status).toBe(200)
    // Deleted in a single statement, other users had to wait nearly as long as it took.
    expect(maxMs).toBeLessThan(tookMs / 2 + 5 * controlMs)
    expect((await server.call("GET", `/api/v1/chats/${id}`)).status).toBe(404)
  })
})

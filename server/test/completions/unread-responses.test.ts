import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import {
  type ApiCall,
  createExport,
  createMessage,
  createMessages,
  importChat,
  readSnapshot,
  requestWithoutReading,
} from "../conversations/large-conversations.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const cutStreams = ({ logLines }: TestGateway): number =>
  logLines.filter((line) => JSON.stringify(line).includes("MAX_BUFFERED_REPLIES")).length

describe.each(chooseDatabases())("an unread response on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  const call: ApiCall = (method, path, body) => gateway.call(method, path, body)

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway({ ...database.env, MAX_BUFFERED_REPLIES: "30MB/60MB" })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it("blocks further requests of its reader until it has been read", async () => {
    const base64 = Buffer.alloc(20e6, 7).toString("base64")
    const images = [{ media_type: "image/png", base64 }]
    const id = await importChat(call, createExport([createMessage(0, { images })]))
    const { messages } = (await call("GET", `/api/v1/chats/${id}`)).body
    const path = `/api/v1/chats/${id}/images/${messages[0].images[0].id}`
    const socket = await requestWithoutReading(gateway.url, path, gateway.key)
    const ask = async () => {
      const response = await fetch(gateway.url + path, {
        headers: { authorization: `Bearer ${gateway.key}` },
      })
      return { response, bytes: (await response.arrayBuffer()).byteLength }
    }
    await vi.waitFor(async () => expect((await ask()).response.status).toBe(429), {
      timeout: 10_000,
    })
    const { response } = await ask()
    expect(response.headers.get("retry-after")).toBeTruthy()
    const { body } = await gateway.call("GET", path)
    expect(body.detail).toMatch(/MAX_BUFFERED_REPLIES/)
    socket.destroy()
    await vi.waitFor(async () => expect((await ask()).bytes).toBe(20e6), { timeout: 10_000 })
  })
})

describe.each(chooseDatabases())("unread event streams on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  const call: ApiCall = (method, path, body) => gateway.call(method, path, body)

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway({ ...database.env, MAX_BUFFERED_REPLIES: "1MB/2MB" })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it("are closed when they fall too far behind, and can be resumed", async () => {
    const id = await importChat(
      call,
      createExport(createMessages(80, (n) => ({ content: `${n}`.padEnd(300_000, ".") }))),
    )
    const path = `/api/v1/chats/${id}/events`
    const sockets = await Promise.all(
      Array.from({ length: 8 }, () => requestWithoutReading(gateway.url, path, gateway.key)),
    )
    const closed = await Promise.race(
      sockets.map(async (socket) => {
        const chunks: string[] = []
        socket.setEncoding("utf8").on("data", (chunk: string) => void chunks.push(chunk))
        await vi.waitFor(() => expect(cutStreams(gateway)).toBeGreaterThan(0), { timeout: 20_000 })
        socket.resume()
        await once(socket, "close")
        return chunks.join("")
      }),
    )
    for (const socket of sockets) socket.destroy()
    expect(closed).not.toContain('"has_more":false')
    const lastId = [...closed.matchAll(/^id: (.*)$/gm)].at(-1)?.[1]
    const rest = await fetch(gateway.url + path, {
      headers: {
        authorization: `Bearer ${gateway.key}`,
        ...(lastId !== undefined && { "last-event-id": lastId }),
      },
    })
    const text = await readSnapshot(rest)
    expect(text.includes("event: snapshot")).toBe(lastId === undefined)
  })
})

describe("many unread event streams", () => {
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

  const residentMegabytes = (): number => {
    const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8")
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000
  }

  it("use little memory, however large their chat is", async () => {
    const id = await importChat(
      server.call,
      createExport(createMessages(200, () => ({ content: "x".repeat(100_000) }))),
    )
    const before = residentMegabytes()
    const sockets = await Promise.all(
      Array.from({ length: 60 }, () =>
        requestWithoutReading(server.url, `/api/v1/chats/${id}/events`, server.key),
      ),
    )
    for (let n = 0; n < 50; n++) await server.call("GET", "/health")
    const { status } = await server.call("GET", `/api/v1/chats/${id}`)
    expect(status).toBe(200)
    // Fully buffered, they would be 1,200 MB of text, and twice that while they are serialized.
    expect(residentMegabytes() - before).toBeLessThan(500)
    for (const socket of sockets) socket.destroy()
  })
})

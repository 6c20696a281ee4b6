import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

const megabyte = 1e6
/** A limit of 250 MB per user and garbage: 110 to 410 MB; without the limit above 900 MB. */
const maxGrowthBytes = 600 * megabyte
const streamCount = 120

/** Resident memory in bytes. */
const residentBytes = ({ child }: TestGatewayProcess): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

const shapes: [chat: string, texts: string[]][] = [
  ["one message of 7 MB", ["x".repeat(7 * megabyte)]],
  ["one message of 7 MB in another script", ["ж".repeat(3.5 * megabyte)]],
  ["10 messages of 1 MB", Array.from({ length: 10 }, () => "x".repeat(megabyte))],
]

const streams: [stream: string, pathOf: (chatId: string) => string][] = [
  ["event streams", (id) => `/api/v1/chats/${id}/events`],
  ["exports of a chat", (id) => `/api/v1/chats/${id}/export`],
  ["exports as Markdown", (id) => `/api/v1/chats/${id}/export?format=markdown`],
  ["exports of all chats", () => "/api/v1/chats/export"],
]
const cases = streams.flatMap(([stream, pathOf]) =>
  shapes
    .slice(0, stream === "event streams" ? shapes.length : 1)
    .map(([chat, texts]) => ({ stream, pathOf, chat, texts })),
)

describe.each(chooseDatabases())("responses that nobody reads on $name", ({ createDatabase }) => {
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    killAllGateways()
  })

  /** Opens a stream and reads nothing. */
  const openUnread = (url: string, path: string, key: string): void => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on("error", () => {})
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    socket.pause()
    sockets.push(socket)
  }

  it.each(cases)(
    "hold hardly more memory than the user may have unread: $stream, $chat",
    async ({ pathOf, texts }) => {
      const database = await createDatabase()
      const gateway = await startTestGatewayProcess(database.env)
      const messages = texts.map((content, n) => ({
        ...{ id: `m${n}`, parent_id: n === 0 ? null : `m${n - 1}` },
        ...{ role: n % 2 === 0 ? "user" : "assistant", content, created_at: 1 },
      }))
      const chat = { title: "Long", created_at: 1, updated_at: 1, messages }
      const imported = await gateway.call("POST", "/api/v1/chats/import", { chats: [chat] })
      expect(imported.status).toBe(200)
      const before = residentBytes(gateway)
      let most = before
      const path = pathOf(imported.body.ids[0])
      for (let n = 0; n < streamCount; n++) openUnread(gateway.url, path, gateway.key)
      // Until the memory has not grown for two seconds.
      for (let grownAt = Date.now(); Date.now() - grownAt < 2000; ) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        const now = residentBytes(gateway)
        if (now > most + megabyte) grownAt = Date.now()
        most = Math.max(most, now)
      }
      expect((await gateway.call("GET", "/api/v1/chats/")).status).toBe(200)
      expect(most - before).toBeLessThan(maxGrowthBytes)
      await gateway.stop()
      await database.remove()
    },
    60_000,
  )
})

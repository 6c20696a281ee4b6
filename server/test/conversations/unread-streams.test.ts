import { connect, type Socket } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { type ApiCall, createExport, createMessages, importChat } from "./large-conversations.ts"

const megabyte = 1e6
/** Of one user, and of all. A larger response is allowed if the user has nothing else unread. */
const unreadLimits = "5MB/1GB"
const streamCount = 12
/** Measured: 11, and 8 event streams of messages of 1 MB; none without the limit. */
const minRefused = 6

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
  shapes.map(([chat, texts]) => ({ stream, pathOf, chat, texts })),
)

describe.each(chooseDatabases())("responses that nobody reads on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  const sockets: Socket[] = []
  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, { MAX_BUFFERED_REPLIES: unreadLimits })
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  afterAll(() => gateway.stop())

  /** Opens a stream and reads nothing. */
  const openUnread = (path: string, key: string): void => {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    socket.on("error", () => {})
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    socket.pause()
    sockets.push(socket)
  }

  const countRefused = (): number =>
    gateway.logLines.filter((line) => JSON.stringify(line).includes("MAX_BUFFERED_REPLIES")).length

  let userCount = 0

  it.each(cases)(
    "are refused beyond what one user may have unread: $stream, $chat",
    async ({ pathOf, texts }) => {
      const { key } = await gateway.createUser(`user-${++userCount}`)
      const call: ApiCall = (method, path, body) => gateway.call(method, path, body, { key })
      const messages = createMessages(texts.length, (n) => ({ content: texts[n] }))
      const path = pathOf(await importChat(call, createExport(messages)))
      const refusedBefore = countRefused()
      for (let n = 0; n < streamCount; n++) openUnread(path, key)
      await expect.poll(countRefused).toBeGreaterThanOrEqual(refusedBefore + minRefused)
    },
  )
})

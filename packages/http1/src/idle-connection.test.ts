import { createServer, Socket } from "node:net"
import { afterEach, expect, it, vi } from "vitest"
import { listenOnLoopback } from "../test/listen.ts"
import { createClient } from "./client.ts"
import { requestJson } from "./request-json.ts"

const timeouts = { connect: 2, firstByte: 2, idle: 2 }
const get = { method: "GET", path: "/", headers: {} }
const okResponse = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue"

afterEach(() => void vi.restoreAllMocks())

it.each([
  ["sent unexpected bytes", (socket: Socket) => socket.write("HTTP/1.1 2")],
  ["closed it", (socket: Socket) => socket.end()],
])("an idle connection takes no request once the server has %s", async (_name, spoil) => {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on("error", () => {})
    socket.on("data", () => socket.write(okResponse))
  })
  const client = createClient(`http://127.0.0.1:${await listenOnLoopback(server)}`, timeouts)
  const ask = () => requestJson(client, get, AbortSignal.timeout(10_000))
  expect(await ask()).toBe(true)
  // The next request is sent between the client's closing of the socket and its `close` event.
  const { destroy } = Socket.prototype
  const next = new Promise<unknown>((resolve) => {
    vi.spyOn(Socket.prototype, "destroy").mockImplementationOnce(function (this: Socket, error) {
      queueMicrotask(() => resolve(ask()))
      return destroy.call(this, error)
    })
  })
  for (const socket of connections) spoil(socket)
  expect(await next).toBe(true)
  expect(connections).toHaveLength(2)
  client.close()
  server.close()
})

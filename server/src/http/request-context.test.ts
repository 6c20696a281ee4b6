import { createServer, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { createCors } from "./cors.ts"
import { createNodeRequestContext } from "./request-context.ts"

const opening = { cors: createCors([]), addressOf: () => "127.0.0.1", logRequest: () => {} }

/** Sends half of a body and disconnects. @returns the result or error code of `read` */
const breakOff = async (read: (incoming: IncomingMessage) => Promise<unknown>) => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const arrived = Promise.withResolvers<void>()
  const server = createServer((incoming, outgoing) => {
    createNodeRequestContext(opening, { incoming, outgoing })
    read(incoming).then(resolve, (error) => resolve(error.code))
    arrived.resolve()
  })
  const port = await listenOnLoopback(server)
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  const head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n"
  socket.write(head + "x".repeat(500_000))
  await arrived.promise
  socket.resetAndDestroy()
  const ended = await promise
  server.close()
  return ended
}

it.each([0, 1, 20, 100])(
  "rejects a body read that pauses %s ms after each chunk when the client disconnects",
  async (ms) => {
    const ended = await breakOff(async (incoming) => {
      for await (const _ of incoming) await sleep(ms)
      return "all was there"
    })
    expect(ended).toBe("ECONNRESET")
  },
)

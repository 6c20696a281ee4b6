import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { createRequestStallDetector } from "@portico/http1"

interface LastRequest {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** Whether the gateway waits for the client: for the rest of a body, or for a request's head. */
const isWaiting = (last: LastRequest | null): boolean => {
  if (!last) return true
  const { incoming, outgoing } = last
  if (incoming.complete) return outgoing.writableFinished
  // Bytes that were received but not read are for the gateway to process.
  return incoming.readableLength === 0
}

/**
 * Ends requests of which only a part has arrived, for a shutdown: nobody loses an answer by it.
 * Call it before the fast path is attached.
 * @returns a function that closes the connections of clients that have stalled; call it repeatedly
 */
export const createStalledRequestCloser = (server: Server): (() => void) => {
  const lastRequests = new Map<Socket, LastRequest | null>()
  const isStalled = createRequestStallDetector()
  server.on("connection", (socket: Socket) => {
    lastRequests.set(socket, null)
    socket.once("close", () => void lastRequests.delete(socket))
  })
  server.on("request", (incoming, outgoing) => {
    const { socket } = incoming
    if (lastRequests.has(socket)) lastRequests.set(socket, { incoming, outgoing })
  })
  return () => {
    const now = performance.now()
    for (const [socket, last] of lastRequests)
      if (isWaiting(last) && isStalled(socket, now)) socket.destroy()
  }
}

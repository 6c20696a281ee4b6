import type { Socket } from "node:net"

/** A client that sends nothing of an incomplete request for this long has stalled. */
const stallMs = 1500

/**
 * Returns a function that tells whether a client has stalled, as far as repeated calls observe. A
 * paused socket has not: its client waits for us.
 */
export const createRequestStallDetector = () => {
  const observedBySocket = new WeakMap<Socket, { bytes: number; since: number }>()
  return (socket: Socket, now: number): boolean => {
    const bytes = socket.bytesRead
    const observed = observedBySocket.get(socket)
    if (observed?.bytes === bytes && !socket.isPaused()) return now - observed.since >= stallMs
    observedBySocket.set(socket, { bytes, since: now })
    return false
  }
}

import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"

let turn = -1
let eventsBefore = 0
/** Whether the current event loop iteration has several events to process. */
let crowded = false
let corkedSockets: Socket[] = []

const release = (): void => {
  const sockets = corkedSockets
  corkedSockets = []
  for (const socket of sockets) socket.uncork()
}

/**
 * Call before a write. If the current event loop iteration has several events, its writes are held
 * back and sent together at the end. A write to a sleeping process wakes it, which costs as much as
 * the write itself; once awake, it reads the other data without another wakeup. With a single event
 * there is nothing to combine.
 */
export const coalesceWrites = (socket: Socket): void => {
  const { loopCount, events } = performance.nodeTiming.uvMetricsInfo
  if (loopCount !== turn) {
    turn = loopCount
    crowded = events - eventsBefore > 1
    eventsBefore = events
  }
  // A corked socket is already held back, here or by a caller that writes in several steps.
  if (!crowded || socket.writableCorked > 0) return
  socket.cork()
  if (corkedSockets.push(socket) === 1) setImmediate(release)
}

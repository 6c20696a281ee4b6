import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"

let lastLoopCount = -1
let lastEvents = 0
/** Whether the current event loop iteration has several events to process. */
let hasSeveralEvents = false
let corkedSockets: Socket[] = []

const uncorkAll = (): void => {
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
  if (loopCount !== lastLoopCount) {
    lastLoopCount = loopCount
    hasSeveralEvents = events - lastEvents > 1
    lastEvents = events
  }
  // A corked socket is already held back, here or by a caller that writes in several steps.
  if (!hasSeveralEvents || socket.writableCorked > 0) return
  socket.cork()
  if (corkedSockets.push(socket) === 1) setImmediate(uncorkAll)
}

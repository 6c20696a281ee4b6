import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"

let turn = -1
let eventsBefore = 0
/** Whether this turn of the event loop has several events to answer. */
let crowded = false
let corkedSockets: Socket[] = []

const release = (): void => {
  const sockets = corkedSockets
  corkedSockets = []
  for (const socket of sockets) socket.uncork()
}

/**
 * Called before a write. Where one turn of the event loop found several events, all that is written
 * in it leaves together at its end. A write to a process that sleeps wakes it, which costs as much
 * again as the write: one that is awake already finds the others by itself. Where the turn has one
 * event there is nothing to wait for.
 */
export const coalesceWrites = (socket: Socket): void => {
  const { loopCount, events } = performance.nodeTiming.uvMetricsInfo
  if (loopCount !== turn) {
    turn = loopCount
    crowded = events - eventsBefore > 1
    eventsBefore = events
  }
  // Corked by us for this turn, or by whoever writes several pieces.
  if (!crowded || socket.writableCorked > 0) return
  socket.cork()
  if (corkedSockets.push(socket) === 1) setImmediate(release)
}

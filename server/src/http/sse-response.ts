import type { UserLimit } from "../limits/user-limit.ts"
import { smallBodyBytes } from "./body-buffer.ts"
import type { Caller } from "./caller.ts"
import { toFailure } from "./errors.ts"
import type { InFlightRequests } from "./in-flight-requests.ts"
import { type NodeRequestContext, whenClosed } from "./request-context.ts"

/** Proxies cut what is silent for a minute. */
const defaultHeartbeatMs = 15_000
const retryMs = 1000
/** Of one stream. A reader that is this far behind is cut off; it resumes after its last event. */
const maxUnreadBytes = 8 * 1024 * 1024

export interface ServerSentEvent {
  /** Where a reader that comes back resumes, as its `Last-Event-ID`. */
  id?: string
  name: string
  /** JSON, on one line. */
  data: string
}

export interface SseStream {
  send(event: ServerSentEvent): void
  /** Resolves when the reader has caught up or is gone. */
  drained(): Promise<void>
  isOpen(): boolean
  end(): void
  closed: Promise<void>
}

export interface SseOptions {
  heartbeatMs?: number
}

interface Deps extends SseOptions {
  exchange: NodeRequestContext
  caller: Caller
  running: InFlightRequests
  /** Bytes that readers have not taken yet. */
  unread: UserLimit
  /** Whether something is under way that is worth waiting for when the gateway shuts down. */
  busy?: () => boolean
}

const nothing = (): void => {}

/**
 * Counts what a reader has not taken yet, and cuts the stream off past the limit.
 * @returns to be called after each write
 */
const countUnread = ({ exchange, caller, unread }: Deps): (() => void) => {
  const { outgoing } = exchange
  let isScheduled = false
  // Less is not worth counting: the number of streams bounds the sum.
  let counted = smallBodyBytes
  let release = nothing
  const releaseAll = (): void => {
    release()
    release = nothing
    counted = smallBodyBytes
  }
  outgoing.on("drain", releaseAll)
  whenClosed(outgoing, releaseAll)
  const count = (): void => {
    isScheduled = false
    const { writableLength, destroyed } = outgoing
    if (writableLength <= counted || destroyed) return
    releaseAll()
    try {
      release = unread.reserve(caller.user.id, writableLength)
      counted = writableLength
    } catch (error) {
      exchange.failure = toFailure(error)
      outgoing.destroy()
    }
  }
  return () => {
    if (isScheduled) return
    isScheduled = true
    // What a reader takes at once is not left unread.
    setImmediate(count)
  }
}

/**
 * Begins a reply of server-sent events that goes on until the reader or the gateway ends it. A reader
 * that falls too far behind is cut off, and resumes after the last event that it received.
 * @throws {Failure} `rate_limited` when its user has too many, before anything is written
 */
export const openSseStream = (deps: Deps): SseStream => {
  const { exchange, caller, running, busy, heartbeatMs = defaultHeartbeatMs } = deps
  const { outgoing } = exchange
  let draining = false
  const end = (): void => void outgoing.end()
  const endWhenIdle = (): void => {
    if (draining && !busy?.()) end()
  }
  const endings = {
    revoke: end,
    shutDown: end,
    draining: () => {
      draining = true
      endWhenIdle()
    },
  }
  const leave = running.enter(caller, endings, "eventStreams")
  outgoing.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  })
  const countWritten = countUnread(deps)
  const isOpen = (): boolean => !outgoing.writableEnded && !outgoing.destroyed
  const write = (text: string): void => {
    // A reply that has ended may still wait for those before it on its connection.
    if (!isOpen()) return
    outgoing.write(text)
    countWritten()
  }
  write(`retry: ${retryMs}\n\n`)

  const heartbeat = setInterval(() => write(": still here\n\n"), heartbeatMs).unref()
  const closed = new Promise<void>((resolve) => {
    whenClosed(outgoing, () => {
      clearInterval(heartbeat)
      leave()
      resolve()
    })
  })
  // A reply to HEAD has no body that could go on.
  if (exchange.incoming.method === "HEAD") end()

  return {
    send: ({ id, name, data }) => {
      if (outgoing.writableLength > maxUnreadBytes) return void outgoing.destroy()
      write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`)
      endWhenIdle()
    },
    drained: () =>
      outgoing.writableNeedDrain && isOpen()
        ? Promise.race([closed, new Promise<void>((resolve) => outgoing.once("drain", resolve))])
        : Promise.resolve(),
    isOpen,
    end,
    closed,
  }
}

import type { UserLimit } from "../limits/user-limit.ts"
import { smallBodyBytes } from "./body-buffer.ts"
import type { Caller } from "./caller.ts"
import { toFailure } from "./errors.ts"
import type { InFlightRequests } from "./in-flight-requests.ts"
import { type NodeRequestContext, whenClosed } from "./request-context.ts"

/** Proxies close connections that are silent for a minute. */
export const defaultHeartbeatMs = 15_000
const retryMs = 1000
/** Per stream. A client this far behind is disconnected, and resumes after its last event. */
const maxUnreadBytes = 8 * 1024 * 1024

export interface ServerSentEvent {
  /** A client that reconnects sends it as `Last-Event-ID`, to resume after this event. */
  id?: string
  name: string
  /** JSON on a single line. */
  data: string
}

export interface SseStream {
  send(event: ServerSentEvent): void
  /** Resolves when the client has caught up or disconnected. */
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
  inFlight: InFlightRequests
  /** Limits the bytes that clients have not read yet. */
  unread: UserLimit
  /** Whether shutdown should wait for work in progress before it ends the stream. */
  busy?: () => boolean
}

const nothing = (): void => {}

/**
 * Counts the bytes that a client has not read yet, and aborts the stream above the limit.
 * @returns a function to call after each write
 */
const countUnread = ({ exchange, caller, unread }: Deps): (() => void) => {
  const { outgoing } = exchange
  let isScheduled = false
  // Fewer bytes are not counted: the limit on streams bounds their sum.
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
    // Later, so that bytes the client reads immediately are not counted.
    setImmediate(count)
  }
}

/**
 * Starts a response of server-sent events that lasts until the client or the gateway ends it. A
 * client that falls too far behind is disconnected, and resumes after the last event it received.
 * @throws {Failure} `rate_limited` before anything is written, if the user has too many streams
 */
export const openSseStream = (deps: Deps): SseStream => {
  const { exchange, caller, inFlight, busy, heartbeatMs = defaultHeartbeatMs } = deps
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
  const leave = inFlight.track(caller, endings, "eventStreams")
  outgoing.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  })
  const countWritten = countUnread(deps)
  const isOpen = (): boolean => !outgoing.writableEnded && !outgoing.destroyed
  const write = (text: string): void => {
    // An ended response may still be queued behind earlier ones of a pipelined connection.
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
  // A HEAD response has no body to stream.
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

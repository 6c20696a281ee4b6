import type { UserLimit } from "../concurrency/user-limit.ts"
import { smallBodyBytes } from "./body-buffer.ts"
import type { Caller } from "./caller.ts"
import { toFailure } from "./failure-response.ts"
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
  /**
   * Reserves memory for what is about to be read and sent. @returns a function that releases it
   * @throws {Failure} `rate_limited` if the user has too many unread bytes; the stream is aborted
   */
  reserve(bytes: number): () => void
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
  context: NodeRequestContext
  caller: Caller
  inFlight: InFlightRequests
  /** Limits the bytes that clients have not read yet. */
  unread: UserLimit
  /** Whether shutdown should wait for work in progress before it ends the stream. */
  busy?: () => boolean
}

const nothing = (): void => {}

const blankLine = "\n\n"

/**
 * As bytes: a string would be held a second time while it is sent, with up to two bytes per
 * character. `data` is large, so it is not copied into another string either.
 */
const encode = (head: string, data: string): Buffer => {
  const headBytes = Buffer.byteLength(head)
  const dataBytes = Buffer.byteLength(data)
  const bytes = Buffer.allocUnsafe(headBytes + dataBytes + blankLine.length)
  bytes.write(head)
  bytes.write(data, headBytes)
  bytes.write(blankLine, headBytes + dataBytes)
  return bytes
}

/** Aborts a stream, so that its client does not take it for complete. */
const abort = (context: NodeRequestContext, error: unknown): void => {
  context.failure = toFailure(error)
  const { outgoing } = context
  // Node holds writes back until the end of the tick; they would be lost.
  outgoing.socket?.uncork()
  outgoing.destroy()
}

/** @param take `hold` ignores the limit */
const countBytes = (
  { unread, caller }: Deps,
  bytes: number,
  take: "reserve" | "hold",
): (() => void) => {
  // Fewer bytes are not counted: the limit on streams bounds their sum.
  if (bytes <= smallBodyBytes) return nothing
  // An event above the limit is allowed if the user has nothing else unread.
  return unread[take](caller.user.id, Math.min(bytes, unread.maxPerUser))
}

/**
 * Writes to a stream, and counts the bytes that the client has not read yet. Ends the stream if that
 * exceeds the limit.
 */
const createCountedWriter = (deps: Deps): ((bytes: Buffer) => void) => {
  const { context } = deps
  const { outgoing } = context
  let unreadBytes = 0
  let release = nothing

  const count = (take: "reserve" | "hold"): void => {
    release()
    release = nothing
    if (!outgoing.destroyed) release = countBytes(deps, unreadBytes, take)
  }
  whenClosed(outgoing, () => {
    release()
    release = nothing
  })

  return (bytes) => {
    unreadBytes += bytes.length
    try {
      // Before it is held, so that many streams cannot exceed the limit together.
      count("reserve")
    } catch (error) {
      abort(context, error)
      return
    }
    outgoing.write(bytes, () => {
      unreadBytes -= bytes.length
      count("hold")
    })
  }
}

/**
 * Starts a response of server-sent events that lasts until the client or the gateway ends it. A
 * client that falls too far behind is disconnected, and resumes after the last event it received.
 * @throws {Failure} `rate_limited` before anything is written, if the user has too many streams
 */
export const openSseStream = (deps: Deps): SseStream => {
  const { context, caller, inFlight, busy, heartbeatMs = defaultHeartbeatMs } = deps
  const { outgoing } = context
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
    "cache-control": "private, no-store",
    "x-accel-buffering": "no",
  })
  const writeCounted = createCountedWriter(deps)
  const isOpen = (): boolean => !outgoing.writableEnded && !outgoing.destroyed
  const write = (head: string, data = ""): void => {
    // An ended response may still be queued behind earlier ones of a pipelined connection.
    if (isOpen()) writeCounted(encode(head, data))
  }
  write(`retry: ${retryMs}`)

  const heartbeat = setInterval(() => write(": still here"), heartbeatMs).unref()
  const closed = new Promise<void>((resolve) => {
    whenClosed(outgoing, () => {
      clearInterval(heartbeat)
      leave()
      resolve()
    })
  })
  // A HEAD response has no body to stream.
  if (context.incoming.method === "HEAD") end()

  return {
    send: ({ id, name, data }) => {
      if (outgoing.writableLength > maxUnreadBytes) return void outgoing.destroy()
      write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: `, data)
      endWhenIdle()
    },
    reserve: (bytes) => {
      try {
        return countBytes(deps, bytes, "reserve")
      } catch (error) {
        abort(context, error)
        throw error
      }
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

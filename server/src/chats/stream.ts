import type { Caller } from "../http/caller.ts"
import { type NodeExchange, whenClosed } from "../http/exchange.ts"
import type { Running } from "../http/running.ts"

/** Proxies cut what is silent for a minute. */
const defaultHeartbeatMs = 15_000
const retryMs = 1000
/** A reader that is this far behind is cut off; it comes back where it was. */
const mostUnreadBytes = 8 * 1024 * 1024

export interface StreamEvent {
  id?: number
  name: string
  /** JSON, on one line. */
  data: string
}

export interface EventStream {
  send(event: StreamEvent): void
  end(): void
  closed: Promise<void>
}

export interface StreamOptions {
  heartbeatMs?: number
}

interface Needs extends StreamOptions {
  exchange: NodeExchange
  caller: Caller
  running: Running
  /** Whether something is under way that is worth waiting for when the gateway shuts down. */
  busy?: () => boolean
}

/**
 * Begins a reply of server-sent events that goes on until the reader or the gateway ends it.
 * @throws {Failure} `rate_limited` when its user has too many, before anything is written
 */
export const openStream = ({ exchange, caller, running, busy, ...options }: Needs): EventStream => {
  const { heartbeatMs = defaultHeartbeatMs } = options
  const { outgoing } = exchange
  let draining = false
  const write = (text: string): void => {
    // A reply that has ended may still wait for those before it on its connection.
    if (!outgoing.writableEnded && !outgoing.destroyed) outgoing.write(text)
  }
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
      if (outgoing.writableLength > mostUnreadBytes) return void outgoing.destroy()
      write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`)
      endWhenIdle()
    },
    end,
    closed,
  }
}

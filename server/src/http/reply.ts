import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Failure } from "../errors.ts"
import { contentTypeOf, type ErrorStyle, errorBody } from "./errors.ts"
import type { Exchange } from "./exchange.ts"

/** Headers that belong to one connection, not to the message (RFC 9110 §7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** True for headers that end at this hop, those that `connection` names included. */
export const endsHere = (name: string, connection: string | undefined): boolean =>
  hopByHop.has(name) ||
  connection?.split(",").some((named) => named.trim().toLowerCase() === name) === true

/**
 * Ways to write Node's own response. What middleware set through Hono is lost on it, so headers
 * such as the request id are set on the raw response before.
 */
export interface Reply {
  head(status: number, headers: OutgoingHttpHeaders): void
  /** `headers` alternates names and values. */
  headRaw(status: number, headers: string[]): void
  /** Sends the head soon, though no body came yet. */
  flushSoon(): void
  /** @returns false when the client is slow; `onDrain` tells when it has caught up */
  write(chunk: Buffer | string): boolean
  end(chunk?: Buffer | string): void
  /** Cuts the connection, so that the client sees that the reply is not whole. */
  cut(): void
  /** A whole reply that refuses; only before `head`. */
  refuse(style: ErrorStyle, failure: Failure): void
  onDrain(callback: () => void): void
  /** The client left before the reply was whole, or has left already. */
  onGone(callback: () => void): void
}

/** A client that takes nothing for so long has gone, though its connection stands. */
const longestStallMs = 120_000

export const createReply = (
  { outgoing }: Pick<Exchange, "outgoing">,
  stallMs = longestStallMs,
): Reply => {
  let stalled: NodeJS.Timeout | undefined
  let watching = false
  const relax = (): void => {
    clearTimeout(stalled)
    stalled = undefined
  }
  const watch = (): void => {
    stalled = setTimeout(() => outgoing.destroy(), stallMs)
    if (watching) return
    watching = true
    // Before those who write anew on it.
    outgoing.prependListener("drain", relax)
    outgoing.once("close", relax)
  }
  const write = (chunk: Buffer | string): boolean => {
    const taken = outgoing.write(chunk)
    if (!taken && stalled === undefined && !outgoing.destroyed) watch()
    return taken
  }
  const flush = (): void => {
    if (!outgoing.writableEnded && outgoing.headersSent) outgoing.flushHeaders()
  }
  return {
    head: (status, headers) => void outgoing.writeHead(status, headers),
    headRaw: (status, headers) => void outgoing.writeHead(status, headers),
    flushSoon: () => void setImmediate(flush),
    write,
    end: (chunk) => void outgoing.end(chunk),
    cut: () => void outgoing.destroy(),
    refuse: (style, failure) => refuse(outgoing, style, failure),
    onDrain: (callback) => void outgoing.on("drain", callback),
    onGone: (callback) => {
      if (outgoing.destroyed) return queueMicrotask(callback)
      outgoing.once("close", () => {
        if (!outgoing.writableFinished) callback()
      })
    },
  }
}

const refuse = (outgoing: ServerResponse, style: ErrorStyle, failure: Failure): void => {
  const body = Buffer.from(errorBody(style, failure))
  outgoing.writeHead(failure.status, {
    "content-type": contentTypeOf(style),
    "content-length": body.length,
    ...(failure.status === 401 && { "www-authenticate": "Bearer" }),
    ...failure.details.headers,
  })
  outgoing.end(body)
}

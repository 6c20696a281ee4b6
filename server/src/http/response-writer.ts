import { catchErrors, type Failure, reportUnhandled } from "../errors.ts"
import { contentTypeOf, type ErrorStyle, errorBody, errorHeaders } from "./failure-response.ts"
import { addPrivateHeaders, hasHeader } from "./private-headers.ts"
import type { Outgoing, RequestContext } from "./request-context.ts"

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

/** @param connection value of the Connection header; the headers it lists are hop-by-hop too */
export const isHopByHop = (name: string, connection: string | undefined): boolean =>
  hopByHop.has(name) ||
  connection?.split(",").some((named) => named.trim().toLowerCase() === name) === true

/** A client that reads nothing for this long is disconnected. */
export const maxStallMs = 120_000

/** A 204 response must not have a Content-Length, not even 0 (RFC 9110 §8.6). */
const removeContentLength = (headers: string[]): void => {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at]?.toLowerCase() === "content-length") headers.splice(at, 2)
  }
}

/** Writes a response through Node's server or the fast path, and adds `x-request-id`. */
export class ResponseWriter {
  readonly #outgoing: Outgoing
  readonly #requestId: string
  readonly #corsHeaders: readonly string[] | undefined
  readonly #stallMs: number
  #stalled: NodeJS.Timeout | undefined
  #watching = false

  constructor(
    {
      outgoing,
      requestId,
      corsHeaders,
    }: Pick<RequestContext, "outgoing" | "requestId" | "corsHeaders">,
    stallMs = maxStallMs,
  ) {
    this.#outgoing = outgoing
    this.#requestId = requestId
    this.#corsHeaders = corsHeaders
    this.#stallMs = stallMs
  }

  /** `headers` alternates names and values. */
  head(status: number, headers: string[]): void {
    if (status === 204) removeContentLength(headers)
    addPrivateHeaders(headers)
    headers.push("x-request-id", this.#requestId)
    if (this.#corsHeaders) headers.push(...this.#corsHeaders)
    this.#outgoing.writeHead(status, headers)
  }

  /** Adds the name under which Anthropic's SDKs look for the request id, unless it is there. */
  addAnthropicRequestId(headers: string[]): void {
    if (!hasHeader(headers, "request-id")) headers.push("request-id", this.#requestId)
  }

  /** Sends the head soon, even if no body chunk follows yet. */
  flushSoon(): void {
    setImmediate(() => {
      const { writableEnded, headersSent } = this.#outgoing
      if (!writableEnded && headersSent) this.#outgoing.flushHeaders()
    })
  }

  /** @returns false if the client reads slowly; `onDrain` reports when it has caught up */
  write(chunk: Buffer | string): boolean {
    const taken = this.#outgoing.write(chunk)
    if (!taken && this.#stalled === undefined && !this.#outgoing.destroyed) this.#watch()
    return taken
  }

  end(chunk?: Buffer | string): void {
    this.#outgoing.end(chunk)
  }

  /** Closes the connection, so that the client detects an incomplete response. */
  abort(): void {
    this.#outgoing.destroy()
  }

  /** Sends a complete error response; call it only before `head`. */
  sendFailure(style: ErrorStyle, failure: Failure): void {
    const body = Buffer.from(errorBody(style, failure))
    const headers = ["content-type", contentTypeOf(style), "content-length", `${body.length}`]
    headers.push(...Object.entries(errorHeaders(style, failure)).flat())
    if (style === "anthropic") this.addAnthropicRequestId(headers)
    this.head(failure.status, headers)
    this.end(body)
  }

  onDrain(callback: () => void): void {
    this.#outgoing.on("drain", () => catchErrors(callback, this.#failed))
  }

  /** Calls back if the client disconnects, or already has, before the response is complete. */
  onDisconnect(callback: () => void): void {
    const outgoing = this.#outgoing
    const isClosed = (): void => catchErrors(callback, this.#failed)
    if (outgoing.destroyed) queueMicrotask(isClosed)
    else {
      outgoing.once("close", () => {
        if (!outgoing.writableFinished) isClosed()
      })
    }
  }

  readonly #failed = (error: unknown): void => {
    this.#outgoing.destroy()
    reportUnhandled(error)
  }

  #watch(): void {
    this.#stalled = setTimeout(() => this.#outgoing.destroy(), this.#stallMs)
    if (this.#watching) return
    this.#watching = true
    const relax = (): void => {
      clearTimeout(this.#stalled)
      this.#stalled = undefined
    }
    // Must run before other `drain` listeners: they may write again, which starts a new timer.
    this.#outgoing.prependListener("drain", relax)
    this.#outgoing.once("close", relax)
  }
}

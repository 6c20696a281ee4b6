import type { OutgoingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import { stripTrailingSlashes } from "../config/trailing-slashes.ts"
import { readBufferedResponse } from "./buffered-response.ts"
import type { ClientConnection, ConnectionListener } from "./connection.ts"
import { createConnectionPool } from "./pool.ts"
import { formatRequestHead } from "./request-head.ts"
import { asError, UpstreamError } from "./upstream-error.ts"

/** How long to wait, in seconds. */
export interface UpstreamTimeouts {
  /** For a connection to be accepted. */
  connect: number
  /** For the reply's head. */
  firstByte: number
  /** Between two pieces of a reply. */
  idle: number
}

export interface UpstreamRequest {
  method: string
  /** Below the base address, query included. */
  path: string
  headers: OutgoingHttpHeaders
  body: Buffer | Readable | null
}

/**
 * What a reply does as it arrives; exactly one of `end` and `broke` comes last. Whatever one of
 * them throws ends this request alone: its connection is closed, and `broke` is told `unreadable`.
 */
export interface ResponseListener {
  /** `rawHeaders` alternates names and values, as they came. */
  onHead(status: number, rawHeaders: readonly string[]): void
  /** @returns false to be given no more until `resume` */
  onData(chunk: Buffer): boolean
  onEnd(): void
  onError(error: UpstreamError): void
  /** Told what `broke` itself threw, and nothing after it; must not throw. */
  onListenerError(error: unknown): void
}

/** The handle on a request under way. */
export interface RequestHandle {
  resume(): void
  /** Ends it; nothing more is heard of it. */
  cancel(): void
}

/** A request that was sent to one upstream. */
export interface SentRequest extends RequestHandle {
  /** Ends it as one whose reply stopped coming, which its listener is told. */
  giveUp(): void
}

/**
 * A request on a wire; the wire goes on to others when it is over. All that an upstream sends, and
 * all that becomes of its connection, reaches who listens by here.
 */
class PendingRequest implements ConnectionListener, SentRequest {
  readonly #listener: ResponseListener
  #wire: ClientConnection | null = null
  #isDone = false

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  on(wire: ClientConnection): void {
    if (!this.#isDone) this.#wire = wire
  }

  resume(): void {
    this.#wire?.resume()
  }

  cancel(): void {
    this.#isDone = true
    this.#cut()
  }

  giveUp(): void {
    this.#cut()
    this.onError(new UpstreamError("silence", new Error("the response stalled")))
  }

  onHead(status: number, rawHeaders: string[]): void {
    try {
      this.#listener.onHead(status, rawHeaders)
    } catch (error) {
      this.#unreadable(error)
    }
  }

  onData(chunk: Buffer): boolean {
    if (this.#isDone) return true
    try {
      return this.#listener.onData(chunk)
    } catch (error) {
      this.#unreadable(error)
      return true
    }
  }

  onEnd(): void {
    const wire = this.#wire
    this.#wire = null
    if (this.#isDone) return
    try {
      this.#listener.onEnd()
      this.#isDone = true
    } catch (error) {
      wire?.cut()
      this.#unreadable(error)
    }
  }

  onError(error: UpstreamError): void {
    this.#wire = null
    if (this.#isDone) return
    this.#isDone = true
    try {
      this.#listener.onError(error)
    } catch (thrown) {
      this.#listener.onListenerError(thrown)
    }
  }

  /** Who listens threw. */
  #unreadable(error: unknown): void {
    this.#cut()
    this.onError(new UpstreamError("unreadable", asError(error)))
  }

  #cut(): void {
    const wire = this.#wire
    this.#wire = null
    wire?.cut()
  }
}

const toMs = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))

const peerOf = ({ protocol, hostname, port }: URL, address: string | undefined) => {
  const secure = protocol === "https:"
  const name = hostname.replace(/^\[|\]$/g, "")
  return {
    secure,
    name,
    address: address ?? name,
    port: Number(port) || (secure ? 443 : 80),
  }
}

/** The length that a streamed body is told to have; null where it is not. */
const declaredContentLength = (headers: OutgoingHttpHeaders): number | null => {
  const isNotified = headers["content-length"]
  return typeof isNotified === "string" && /^\d+$/.test(isNotified) ? Number(isNotified) : null
}

/**
 * Speaks HTTP/1.1 with one upstream over kept connections. Redirects are not followed.
 * @param address where the upstream is, whatever its name says
 */
export const createClient = (baseUrl: string, timeouts: UpstreamTimeouts, address?: string) => {
  const url = new URL(baseUrl)
  const basePath = stripTrailingSlashes(url.pathname)
  const pool = createConnectionPool(peerOf(url, address))
  const connect = toMs(timeouts.connect)
  const idle = toMs(timeouts.idle)

  const send = (
    { method, path, headers, body }: UpstreamRequest,
    listener: ResponseListener,
    firstByte = toMs(timeouts.firstByte),
  ): SentRequest => {
    const streamed = body !== null && !Buffer.isBuffer(body)
    const length = streamed ? declaredContentLength(headers) : (body?.length ?? 0)
    const line = { method, path: basePath + path, headers, length }
    const answer = new PendingRequest(listener)
    try {
      const request = {
        head: formatRequestHead(url.host, line),
        body: streamed ? { source: body, chunked: length === null } : body,
        bodiless: method === "HEAD",
      }
      answer.on(pool.send(request, answer, { connect, firstByte, idle }))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      answer.onError(new UpstreamError("reset", error))
    }
    return answer
  }

  return {
    /**
     * Sends a request.
     * @param firstByteMs for the reply's head, in place of the client's own patience
     */
    send,

    /** Asks for a JSON reply. @throws {Error} when there is none, or its status is no 2xx */
    ask: async (
      { json, headers, maxBytes = defaultMaxBytes, ...request }: JsonRequest,
      signal: AbortSignal,
    ): Promise<unknown> => {
      const body = json === undefined ? null : Buffer.from(JSON.stringify(json))
      const typed =
        json === undefined ? headers : { ...headers, "content-type": "application/json" }
      const { status, text } = await readBufferedResponse(
        (listener) => send({ ...request, headers: typed, body }, listener),
        { signal, maxBytes: maxBytes },
      )
      if (status < 200 || status > 299) throw new RefusedError(status, text)
      return JSON.parse(text)
    },

    /** Takes no more requests and goes when the last one has ended. */
    retire: pool.retire,

    /** Ends what runs. */
    close: pool.close,
  }
}

export type Client = ReturnType<typeof createClient>

type JsonRequest = Pick<UpstreamRequest, "method" | "path" | "headers"> & {
  json?: unknown
  /** Of the reply. */
  maxBytes?: number
}

/** Of a reply that is read whole; vectors of many texts have tens of millions. */
const defaultMaxBytes = 64_000_000

/** An upstream's own refusal of a request that the gateway made for itself. */
export class RefusedError extends Error {
  readonly status: number

  constructor(status: number, body: string) {
    super(`it answered ${status}: ${body.slice(0, 200)}`)
    this.name = "RefusedError"
    this.status = status
  }
}

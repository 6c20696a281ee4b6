import type { OutgoingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import { readBufferedResponse } from "./buffered-response.ts"
import type { ClientConnection } from "./client-connection.ts"
import { createConnectionPool } from "./connection-pool.ts"
import { formatRequestHead } from "./request-head.ts"
import type { ResponseHandler, ResponseListener } from "./response-listener.ts"
import { asError, UpstreamError } from "./upstream-error.ts"

/** In seconds. */
export interface UpstreamTimeouts {
  /** Until the connection is established. */
  connect: number
  /** Until the response head has arrived. */
  firstByte: number
  /** Between two reads of a response body. */
  idle: number
}

export interface UpstreamRequest {
  method: string
  /** Relative to the base URL, including the query. */
  path: string
  headers: OutgoingHttpHeaders
  body: Buffer | Readable | null
}

/** Controls a request in flight. */
export interface RequestHandle {
  resume(): void
  /** Aborts the request; no callbacks follow. */
  cancel(): void
}

export interface SentRequest extends RequestHandle {
  /** Aborts the request and reports an error of kind `silence` to its listener. */
  giveUp(): void
}

/**
 * Connects a listener to the connection that carries its request. Shields the connection, which is
 * reused by later requests, from the listener's exceptions.
 */
class PendingRequest implements ResponseHandler, SentRequest {
  readonly #listener: ResponseListener
  #connection: ClientConnection | null = null
  #isDone = false

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  on(connection: ClientConnection): void {
    if (!this.#isDone) this.#connection = connection
  }

  resume(): void {
    this.#connection?.resume()
  }

  cancel(): void {
    this.#isDone = true
    this.#cut()
  }

  giveUp(): void {
    this.#cut()
    this.onError(new UpstreamError("silence", new Error("the response stalled")))
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
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
    const connection = this.#connection
    this.#connection = null
    if (this.#isDone) return
    try {
      this.#listener.onEnd()
      this.#isDone = true
    } catch (error) {
      connection?.cut()
      this.#unreadable(error)
    }
  }

  onError(error: UpstreamError): void {
    this.#connection = null
    if (this.#isDone) return
    this.#isDone = true
    try {
      this.#listener.onError(error)
    } catch (thrown) {
      this.#listener.onListenerError(thrown)
    }
  }

  /** The listener threw. */
  #unreadable(error: unknown): void {
    this.#cut()
    this.onError(new UpstreamError("unreadable", asError(error)))
  }

  #cut(): void {
    const connection = this.#connection
    this.#connection = null
    connection?.cut()
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

/** Linear in the length; a regular expression would take quadratic time. */
const withoutTrailingSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === "/") end--
  return path.slice(0, end)
}

/** A streamed body's `content-length`; null if the length is unknown. */
const declaredContentLength = (headers: OutgoingHttpHeaders): number | null => {
  const isNotified = headers["content-length"]
  return typeof isNotified === "string" && /^\d+$/.test(isNotified) ? Number(isNotified) : null
}

/**
 * HTTP/1.1 client for one upstream, with persistent connections. Does not follow redirects.
 * @param address IP address to connect to instead of resolving the host name
 */
export const createClient = (baseUrl: string, timeouts: UpstreamTimeouts, address?: string) => {
  const url = new URL(baseUrl)
  const basePath = withoutTrailingSlashes(url.pathname)
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
     * Sends a request. All failures are reported to `listener.onError`.
     * @param firstByte overrides the client's `firstByte` timeout, in ms
     */
    send,

    /**
     * Sends a request and parses the JSON response.
     * @throws {RefusedError} for a status other than 2xx
     * @throws {UpstreamError | ResponseTooLargeError | SyntaxError}
     */
    ask: async (
      { json, headers, maxBytes = defaultMaxBytes, ...request }: JsonRequest,
      signal: AbortSignal,
    ): Promise<unknown> => {
      const body = json === undefined ? null : Buffer.from(JSON.stringify(json))
      const typed =
        json === undefined ? headers : { ...headers, "content-type": "application/json" }
      const { status, text } = await readBufferedResponse(
        (listener) => send({ ...request, headers: typed, body }, listener),
        { signal, maxBytes },
      )
      if (status < 200 || status > 299) throw new RefusedError(status, text)
      return JSON.parse(text)
    },

    /** Rejects new requests; requests in flight may finish. */
    retire: pool.retire,

    /** Rejects new requests and aborts those in flight. */
    close: pool.close,
  }
}

export type Client = ReturnType<typeof createClient>

type JsonRequest = Pick<UpstreamRequest, "method" | "path" | "headers"> & {
  json?: unknown
  /** Maximum size of the response. */
  maxBytes?: number
}

/** A batch of embeddings takes tens of megabytes as JSON. */
const defaultMaxBytes = 64_000_000

const maxErrorBodyLength = 10_000

/** The upstream answered with a status other than 2xx. */
export class RefusedError extends Error {
  readonly status: number
  /** The response body's beginning. */
  readonly body: string

  constructor(status: number, body: string) {
    super(`it answered ${status}: ${body.slice(0, 200)}`)
    this.name = "RefusedError"
    this.status = status
    this.body = body.slice(0, maxErrorBodyLength)
  }
}

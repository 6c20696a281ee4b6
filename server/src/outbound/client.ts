import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import { type Dispatcher, Pool } from "undici"
import { classify, type UpstreamError } from "./upstream-error.ts"

/** How long to wait, in seconds. */
export interface Patience {
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

/** What a reply does as it arrives; exactly one of `end` and `broke` comes last. */
export interface ReplyListener {
  /** `rawHeaders` alternates names and values, as they came. */
  head(status: number, headers: IncomingHttpHeaders, rawHeaders: readonly Buffer[]): void
  /** @returns false to be given no more until `resume` */
  data(chunk: Buffer): boolean
  end(): void
  broke(error: UpstreamError): void
}

/** The handle on a request under way. */
export interface Flow {
  resume(): void
  /** Ends it; nothing more is heard of it. */
  cancel(): void
}

const cancelled = new Error("cancelled")

class Exchange implements Dispatcher.DispatchHandler, Flow {
  readonly #listener: ReplyListener
  #controller: Dispatcher.DispatchController | null = null
  #headSeen = false
  #cancelled = false

  constructor(listener: ReplyListener) {
    this.#listener = listener
  }

  resume(): void {
    this.#controller?.resume()
  }

  cancel(): void {
    this.#cancelled = true
    this.#controller?.abort(cancelled)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#cancelled) controller.abort(cancelled)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#cancelled) return
    this.#headSeen = true
    const raw = controller.rawHeaders
    this.#listener.head(status, headers, Array.isArray(raw) ? (raw as Buffer[]) : [])
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#cancelled) return
    if (!this.#listener.data(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (!this.#cancelled) this.#listener.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#listener.broke(classify(error, this.#headSeen))
  }
}

const toMs = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))

/** Speaks HTTP/1.1 with one upstream over kept connections. Redirects are not followed. */
export const createClient = (baseUrl: string, patience: Patience) => {
  const { origin, pathname } = new URL(baseUrl)
  const basePath = pathname.replace(/\/+$/, "")
  const pool = new Pool(origin, {
    connect: { timeout: toMs(patience.connect) },
    bodyTimeout: toMs(patience.idle),
    headersTimeout: toMs(patience.firstByte),
    pipelining: 1,
    allowH2: false,
  })

  return {
    /**
     * Sends a request.
     * @param firstByteMs for the reply's head, in place of the client's own patience
     */
    send: (
      { method, path, headers, body }: UpstreamRequest,
      listener: ReplyListener,
      firstByteMs = toMs(patience.firstByte),
    ): Flow => {
      const exchange = new Exchange(listener)
      const options = { path: basePath + path, headers, body, headersTimeout: firstByteMs }
      pool.dispatch({ ...options, method: method as Dispatcher.HttpMethod }, exchange)
      return exchange
    },

    /** Asks for a small JSON reply. @throws {Error} when there is none, or its status is no 2xx */
    ask: async (
      request: Pick<UpstreamRequest, "method" | "path" | "headers"> & { json?: unknown },
      signal: AbortSignal,
    ): Promise<unknown> => {
      const { statusCode, body } = await pool.request({
        method: request.method as Dispatcher.HttpMethod,
        path: basePath + request.path,
        headers: { ...request.headers, ...(request.json !== undefined && jsonType) },
        body: request.json === undefined ? null : JSON.stringify(request.json),
        signal,
      })
      const text = await body.text()
      if (statusCode < 200 || statusCode > 299) throw new RefusedError(statusCode, text)
      return JSON.parse(text)
    },

    /** Takes no more requests and goes when the last one has ended. */
    retire: (): void => {
      void pool.close().catch(() => {})
    },

    close: async (): Promise<void> => {
      await pool.destroy()
    },
  }
}

export type Client = ReturnType<typeof createClient>

const jsonType = { "content-type": "application/json" }

/** An upstream's own refusal of a request that the gateway made for itself. */
export class RefusedError extends Error {
  readonly status: number

  constructor(status: number, body: string) {
    super(`it answered ${status}: ${body.slice(0, 200)}`)
    this.name = "RefusedError"
    this.status = status
  }
}

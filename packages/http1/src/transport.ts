import type { OutgoingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import type { ResponseListener } from "./response-listener.ts"

/** In seconds. */
export interface UpstreamTimeouts {
  /** Until the connection is established. */
  connect: number
  /** Until the response head has arrived. */
  firstByte: number
  /** Between two reads of a response body. */
  idle: number
}

/** In whole milliseconds, at least 1. */
export const toTimeoutMs = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))

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
  failAsStalled(): void
}

/** Sends requests to one upstream. */
export interface Transport {
  /**
   * All failures are reported to `listener.onError`.
   * @param firstByteMs overrides the transport's `firstByte` timeout
   */
  send(request: UpstreamRequest, listener: ResponseListener, firstByteMs?: number): SentRequest
  /** Rejects new requests; requests in flight may finish. */
  retire(): void
  /** Rejects new requests and aborts those in flight. */
  close(): void
}

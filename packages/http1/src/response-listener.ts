import type { UpstreamError } from "./upstream-error.ts"

/**
 * Receives a response. The last call is exactly one of `onEnd` and `onError`, unless the request is
 * canceled. An exception in a callback fails only this request: its connection is closed, and
 * `onError` receives an error of kind `unreadable`.
 */
export interface ResponseHandler {
  /** `rawHeaders` alternates names and values, in the order received. */
  onHead(status: number, rawHeaders: readonly string[]): void
  /** @returns false to pause reading until `resume` */
  onData(chunk: Buffer): boolean
  onEnd(): void
  onError(error: UpstreamError): void
}

export interface ResponseListener extends ResponseHandler {
  /** Receives an exception that `onError` threw. No further callbacks follow; must not throw. */
  onListenerError(error: unknown): void
}

import type { ResponseHandler, ResponseListener } from "./response-listener.ts"
import type { SentRequest } from "./transport.ts"
import { toError, UpstreamError } from "./upstream-error.ts"

/** What carries a request. */
export interface RequestConnection {
  resume(): void
  /** Ends the request; no callbacks follow. */
  destroy(): void
}

/**
 * Connects a listener to the connection that carries its request. Shields the connection, which is
 * reused by later requests, from the listener's exceptions.
 */
export class PendingRequest implements ResponseHandler, SentRequest {
  readonly #listener: ResponseListener
  #connection: RequestConnection | null = null
  #isDone = false

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  attach(connection: RequestConnection): void {
    if (!this.#isDone) this.#connection = connection
  }

  resume(): void {
    this.#connection?.resume()
  }

  cancel(): void {
    this.#isDone = true
    this.#destroyConnection()
  }

  failAsStalled(): void {
    this.#destroyConnection()
    this.onError(new UpstreamError("silence", new Error("the response stalled")))
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    try {
      this.#listener.onHead(status, rawHeaders)
    } catch (error) {
      this.#failAsUnreadable(error)
    }
  }

  onData(chunk: Buffer): boolean {
    if (this.#isDone) return true
    try {
      return this.#listener.onData(chunk)
    } catch (error) {
      this.#failAsUnreadable(error)
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
      connection?.destroy()
      this.#failAsUnreadable(error)
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
  #failAsUnreadable(error: unknown): void {
    this.#destroyConnection()
    this.onError(new UpstreamError("unreadable", toError(error)))
  }

  #destroyConnection(): void {
    const connection = this.#connection
    this.#connection = null
    connection?.destroy()
  }
}

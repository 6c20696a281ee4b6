import { HttpStatusError, type ResponseHandler } from "@portico/http1"
import type { AttemptTarget } from "./attempt-target.ts"
import { type ConnectionFault, findConnectionFault } from "./connection-fault.ts"

const maxBytes = 64 * 1024

/** An error response that is held back until it is known whether another connection is tried. */
export class BufferedErrorResponse {
  readonly #chunks: Buffer[] = []
  #bytes = 0
  /** Whether the chunks hold the complete body. */
  #isComplete = false
  readonly attempt: AttemptTarget
  readonly receiver: ResponseHandler
  readonly status: number
  readonly #rawHeaders: readonly string[]

  constructor(
    attempt: AttemptTarget,
    receiver: ResponseHandler,
    { status, rawHeaders }: { status: number; rawHeaders: readonly string[] },
  ) {
    this.attempt = attempt
    this.receiver = receiver
    this.status = status
    this.#rawHeaders = rawHeaders
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether the body exceeds what is held back. */
  get isTooLarge(): boolean {
    return this.#bytes > maxBytes
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (!this.isTooLarge) this.#chunks.push(chunk)
  }

  complete(): void {
    this.#isComplete = !this.isTooLarge
  }

  toError(): HttpStatusError {
    return new HttpStatusError(this.status, Buffer.concat(this.#chunks).toString("utf8"))
  }

  /** The connection's own fault, if the response is one. */
  fault(): ConnectionFault | null {
    return findConnectionFault(this.toError(), this.attempt.model)
  }

  /** Forwards what was held back. */
  release(): void {
    this.receiver.onHead(this.status, this.#rawHeaders)
    for (const chunk of this.#chunks) this.receiver.onData(chunk)
  }
}

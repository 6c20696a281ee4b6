import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import type { Readable } from "node:stream"
import type { ParsedRequestHead } from "./parse-request-head.ts"

/** Maximum of buffered body bytes before `readBody`. */
const maxReadAheadBytes = 64 * 1024

/** Receives a body as it arrives; an exception rejects the body and discards the rest of it. */
export interface BodySink<T> {
  push(chunk: Buffer): void
  /** Whether processing a chunk takes long enough to yield to other requests after it. */
  readonly isLarge?: boolean
  /** Called after the last chunk. */
  end(): T
}

/**
 * Pauses a stream until the next event loop iteration. Otherwise a socket emits up to 32 chunks in
 * one iteration, and all other clients wait for them.
 */
export const pauseUntilNextIteration = (stream: Readable): void => {
  stream.pause()
  setImmediate(() => stream.resume())
}

interface PendingRead {
  sink: BodySink<unknown>
  /** Ends the sink and resolves with its result. */
  finish: () => void
  reject: (reason: unknown) => void
}

/** A request whose body may still be arriving. */
export class FastPathRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  /** In bytes, as declared. */
  readonly bodyLength: number
  #remaining: number
  /** Received before `readBody` was called. */
  #chunks: Buffer[] = []
  #pendingRead: PendingRead | null = null
  /** The rest of the body is discarded. */
  #isDiscarding = false
  #failure: Error | null = null

  constructor({ method, url, headers, bodyLength }: ParsedRequestHead<unknown>, socket: Socket) {
    this.method = method
    this.url = url
    this.headers = headers
    this.socket = socket
    this.bodyLength = bodyLength
    this.#remaining = bodyLength
  }

  get isComplete(): boolean {
    return this.#remaining === 0
  }

  /** Whether enough of the body is buffered ahead of `readBody` to pause the socket. */
  get hasExcessReadAhead(): boolean {
    const received = this.bodyLength - this.#remaining
    return (
      this.#remaining > 0 &&
      !this.#isDiscarding &&
      !this.#pendingRead &&
      received > maxReadAheadBytes
    )
  }

  /** Whether the body is large enough to yield to other requests between its chunks. */
  get isLarge(): boolean {
    return this.#pendingRead?.sink.isLarge === true
  }

  /** @returns how many of `bytes` belong to this request's body */
  receive(bytes: Buffer): number {
    const consumed = Math.min(this.#remaining, bytes.length)
    this.#remaining -= consumed
    const bodyBytes = consumed === bytes.length ? bytes : bytes.subarray(0, consumed)
    if (this.#pendingRead) this.#push(this.#pendingRead, bodyBytes)
    else if (!this.#isDiscarding && consumed > 0) this.#chunks.push(bodyBytes)
    return consumed
  }

  /**
   * Reads the whole body; call it once. Synchronous if the body has already arrived.
   * @throws whatever `sink` throws, or the server's `createDisconnectError`; both also as a rejection
   */
  readBody<T>(sink: BodySink<T>): T | Promise<T> {
    if (this.#failure) throw this.#failure
    for (const chunk of this.#chunks) sink.push(chunk)
    this.#chunks = []
    if (this.#remaining === 0) return sink.end()
    return new Promise((resolve, reject) => {
      this.#pendingRead = { sink, finish: () => resolve(sink.end()), reject }
      this.socket.resume()
    })
  }

  #push({ sink, finish, reject }: PendingRead, chunk: Buffer): void {
    try {
      sink.push(chunk)
      if (this.#remaining > 0) return
      finish()
    } catch (error) {
      this.#isDiscarding = true
      reject(error)
    }
    this.#pendingRead = null
  }

  /** Discards the rest of the body: the response has closed or the client disconnected. */
  discardBody(failure?: Error): void {
    this.#isDiscarding = true
    this.#chunks = []
    if (failure) this.#pendingRead?.reject(failure)
    this.#failure = failure ?? null
    this.#pendingRead = null
  }
}

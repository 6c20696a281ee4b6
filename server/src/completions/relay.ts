import { forwardedHeaders } from "../connections/response-headers.ts"
import type { Failure } from "../errors.ts"
import { errorEvent } from "../http/errors.ts"
import type { RequestContext } from "../http/request-context.ts"
import { ResponseWriter } from "../http/response-writer.ts"
import type {
  FailurePoint,
  ResponseConsumer,
  ResponseControl,
  ResponseHead,
} from "./response-consumer.ts"
import type { SourceEncoder } from "./sources.ts"
import { type ErrorReply, errorReplyHeaders } from "./upstream-response.ts"

/**
 * Sends a response to the client: streams as they arrive, with back-pressure, other responses in
 * one piece, and errors in the OpenAI format.
 */
export class CompletionRelay implements ResponseConsumer {
  readonly passesLongBodies = true
  readonly #exchange: RequestContext
  readonly #reply: ResponseWriter
  /** Adds the sources that the answer is based on; undefined once they are sent. */
  #sources: SourceEncoder | undefined

  constructor(exchange: RequestContext, sources?: SourceEncoder) {
    this.#exchange = exchange
    this.#reply = new ResponseWriter(exchange)
    this.#sources = sources
  }

  onOpen(control: ResponseControl): void {
    this.#reply.onDrain(() => control.resume())
    this.#reply.onDisconnect(() => control.stop("client_cancelled"))
  }

  onStart({ status, rawHeaders, isStream }: ResponseHead): void {
    this.#reply.head(status, forwardedHeaders(rawHeaders))
    if (!isStream) return
    this.#reply.flushSoon()
    if (this.#sources) this.#reply.write(this.#sources.chunk)
    this.#sources = undefined
  }

  onChunk(bytes: Buffer): boolean {
    if (!this.#sources) return this.#reply.write(bytes)
    const extended = this.#sources.addToBody(bytes)
    this.#sources = undefined
    return this.#reply.write(extended)
  }

  onEnd(): void {
    this.#reply.end()
  }

  onBody(original: Buffer, { status, rawHeaders }: ResponseHead): void {
    const body = this.#sources ? this.#sources.addToBody(original) : original
    const headers = forwardedHeaders(rawHeaders)
    headers.push("content-length", `${body.length}`)
    this.#reply.head(status, headers)
    this.#reply.end(body)
  }

  onErrorReply(error: ErrorReply, { rawHeaders }: ResponseHead): void {
    this.#reply.head(error.status, errorReplyHeaders(forwardedHeaders(rawHeaders), error))
    this.#reply.end(error.body)
  }

  /** Ends a stream with an error event. Other responses are cut off, so that the client notices. */
  onFailure(failure: Failure, { head, isFrameOpen }: FailurePoint): void {
    const reply = this.#reply
    // Before the response ends: the access log is written as soon as it has.
    this.#exchange.failure = failure
    if (!head) reply.sendFailure("openai", failure)
    else if (head.isStream) reply.end(`${isFrameOpen ? "\n\n" : ""}${errorEvent(failure)}`)
    else reply.abort()
  }
}

import { forwardedHeaders } from "../connections/response-headers.ts"
import type { Failure } from "../errors.ts"
import { errorEvent } from "../http/errors.ts"
import type { ResponseWriter } from "../http/response-writer.ts"
import type {
  FailurePoint,
  ResponseConsumer,
  ResponseControl,
  ResponseHead,
} from "./response-consumer.ts"
import type { SourceEncoder } from "./sources.ts"
import { type ErrorReply, errorReplyHeaders } from "./upstream-response.ts"

interface Deps {
  reply: ResponseWriter
  /** Adds the sources that the answer is based on to the response. */
  sources?: SourceEncoder | undefined
  /** Called with the failure of the response, before it is sent to the client. */
  onFailure: (failure: Failure) => void
}

/**
 * Sends a response to the client: streams as they arrive, with back-pressure, other responses in
 * one piece, and errors in the OpenAI format.
 */
export class CompletionRelay implements ResponseConsumer {
  readonly passesLongBodies = true
  readonly #deps: Deps
  /** The sources were not sent yet. */
  #sources: SourceEncoder | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#sources = deps.sources
  }

  onOpen(control: ResponseControl): void {
    this.#deps.reply.onDrain(() => control.resume())
    this.#deps.reply.onDisconnect(() => control.stop("client_cancelled"))
  }

  onStart({ status, rawHeaders, isStream }: ResponseHead): void {
    this.#deps.reply.head(status, forwardedHeaders(rawHeaders))
    if (!isStream) return
    this.#deps.reply.flushSoon()
    if (this.#sources) this.#deps.reply.write(this.#sources.chunk)
    this.#sources = undefined
  }

  onChunk(bytes: Buffer): boolean {
    if (!this.#sources) return this.#deps.reply.write(bytes)
    const extended = this.#sources.addToBody(bytes)
    this.#sources = undefined
    return this.#deps.reply.write(extended)
  }

  onEnd(): void {
    this.#deps.reply.end()
  }

  onBody(original: Buffer, { status, rawHeaders }: ResponseHead): void {
    const body = this.#sources ? this.#sources.addToBody(original) : original
    const headers = forwardedHeaders(rawHeaders)
    headers.push("content-length", `${body.length}`)
    this.#deps.reply.head(status, headers)
    this.#deps.reply.end(body)
  }

  onErrorReply(error: ErrorReply, { rawHeaders }: ResponseHead): void {
    this.#deps.reply.head(error.status, errorReplyHeaders(forwardedHeaders(rawHeaders), error))
    this.#deps.reply.end(error.body)
  }

  /** Ends a stream with an error event. Other responses are cut off, so that the client notices. */
  onFailure(failure: Failure, { head, isFrameOpen }: FailurePoint): void {
    const { reply } = this.#deps
    this.#deps.onFailure(failure)
    if (!head) reply.sendFailure("openai", failure)
    else if (head.isStream) reply.end(`${isFrameOpen ? "\n\n" : ""}${errorEvent(failure)}`)
    else reply.abort()
  }
}

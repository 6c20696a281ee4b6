import { headerOf, type RequestHandle } from "@portico/http1"
import type {
  FailurePoint,
  ResponseConsumer,
  ResponseHead,
} from "../completions/response/response-consumer.ts"
import { forwardedResponseHeaders } from "../connections/forwarded-response-headers.ts"
import type { Failure } from "../errors.ts"
import { type ErrorStyle, errorBody, errorEvent } from "../http/failure-response.ts"
import type { RequestContext } from "../http/request-context.ts"
import { ResponseWriter } from "../http/response-writer.ts"
import type { AdmittedRequest } from "../limits/admission/admitted-request.ts"

/** Sends a native response to the client: status, allowed headers, and bytes as they arrive. */
export class NativeRelay implements ResponseConsumer {
  readonly passesEverything = true
  readonly #context: RequestContext
  readonly #reply: ResponseWriter
  readonly #errorStyle: ErrorStyle
  #admitted: Pick<AdmittedRequest, "limitHeaders"> | null = null
  /** Whether the client was sent a content length, so that nothing can be appended. */
  #hasLength = false

  constructor(context: RequestContext, errorStyle: ErrorStyle) {
    this.#context = context
    this.#reply = new ResponseWriter(context)
    this.#errorStyle = errorStyle
  }

  onOpen(handle: RequestHandle): void {
    this.#reply.onDrain(() => handle.resume())
    this.#reply.onDisconnect(() => handle.cancel())
  }

  onAdmitted(admitted: Pick<AdmittedRequest, "limitHeaders">): void {
    this.#admitted = admitted
  }

  onStart({ status, rawHeaders }: ResponseHead): void {
    const headers = forwardedResponseHeaders(rawHeaders)
    const length = headerOf(rawHeaders, "content-length")
    this.#hasLength = length !== null
    if (length !== null) headers.push("content-length", length)
    // Ollama has no such headers.
    if (this.#errorStyle === "openai" && this.#admitted)
      headers.push(...this.#admitted.limitHeaders("openai"))
    this.#reply.head(status, headers)
    this.#reply.flushSoon()
  }

  onChunk(bytes: Buffer): boolean {
    return this.#reply.write(bytes)
  }

  onEnd(): void {
    this.#reply.end()
  }

  onFailure(failure: Failure, { head, isEventOpen }: FailurePoint): void {
    const reply = this.#reply
    this.#context.failure = failure
    if (!head) {
      reply.sendFailure(this.#errorStyle, failure)
      return
    }
    const type = headerOf(head.rawHeaders, "content-type") ?? ""
    const lineEnd = isEventOpen ? "\n" : ""
    if (this.#hasLength) reply.abort()
    // Ollama reports an error within a stream as a line with `error`.
    else if (type.includes("ndjson")) reply.end(`${lineEnd}${errorBody("runtime", failure)}\n`)
    // An event may still be open after a complete line; the extra newline keeps the error from
    // becoming part of it.
    else if (head.isStream) reply.end(`${lineEnd}\n${errorEvent(failure)}`)
    else reply.abort()
  }
}

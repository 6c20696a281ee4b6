import { forwardedResponseHeaders } from "../../connections/forwarded-response-headers.ts"
import { mayBeMissing } from "../../connections/operation-support.ts"
import { Failure } from "../../errors.ts"
import { type AnswerError, readErrorBody } from "../../formats/error-body.ts"
import type { SentEvents } from "../../formats/responses/failure-event.ts"
import type { RequestContext } from "../../http/request-context.ts"
import { ResponseWriter } from "../../http/response-writer.ts"
import type { AdmittedRequest } from "../../limits/admission/admitted-request.ts"
import type { DroppedFields } from "../conversion/dropped-fields.ts"
import type { ApiOperation, StreamFormat } from "../operations/operation.ts"
import type { SourceEncoder } from "../sources/source-encoder.ts"
import { errorReplyHeaders, type ProviderErrorReply } from "./provider-error-reply.ts"
import type {
  FailurePoint,
  ResponseConsumer,
  ResponseHandle,
  ResponseHead,
} from "./response-consumer.ts"

export interface RelayOptions {
  /** What the client asked for. */
  operation: ApiOperation
  formatFailure: StreamFormat["formatFailure"]
  /** Adds the sources that the answer is based on; omitted if its format already contains them. */
  sources?: SourceEncoder | undefined
  dropped?: DroppedFields | undefined
  /** Omitted if nothing is sent while a stream is silent. */
  pingMs?: number | undefined
  /** Called in place of sending the error of a provider that may lack the operation. */
  onOperationMissing?: (() => void) | undefined
}

const toAnswerError = ({ status, body }: ProviderErrorReply): AnswerError => ({
  message: `The provider responded with status ${status}.`,
  code: "upstream_error",
  ...readErrorBody(body.toString("utf8")),
  status,
})

const eventStreamHeaders = ["content-type", "text/event-stream; charset=utf-8"]

/**
 * Sends a response to the client: streams as they arrive, with back-pressure, other responses in
 * one piece, and errors in the format of the inbound API.
 */
export class ResponseRelay implements ResponseConsumer {
  readonly passesBodiesAbove = 1024 * 1024
  readonly #context: RequestContext
  readonly #reply: ResponseWriter
  readonly #options: RelayOptions
  #pingTimer: NodeJS.Timeout | undefined
  /** Whether nothing was sent since the timer last fired. */
  #isSilent = true
  /** Undefined once they are sent. */
  #sources: SourceEncoder | undefined
  readonly #sent: SentEvents = { first: null, last: null }
  #admitted: Pick<AdmittedRequest, "limitHeaders"> | null = null
  /** Whether the head was sent with a ping, before the provider answered. */
  #isEarly = false

  constructor(context: RequestContext, options: RelayOptions) {
    this.#context = context
    this.#reply = new ResponseWriter(context)
    this.#options = options
    this.#sources = options.sources
  }

  onOpen(handle: ResponseHandle): void {
    this.#reply.onDrain(() => handle.resume())
    this.#reply.onDisconnect(() => handle.cancel())
    const { pingMs } = this.#options
    if (pingMs === undefined) return
    this.#pingTimer = setInterval(() => {
      if (this.#isSilent && !handle.isEventOpen) this.#ping()
      this.#isSilent = true
    }, pingMs).unref()
  }

  onAdmitted(admitted: Pick<AdmittedRequest, "limitHeaders">): void {
    this.#admitted = admitted
  }

  onStart({ status, rawHeaders, isStream }: ResponseHead): void {
    if (!this.#isEarly) this.#writeHead(status, forwardedResponseHeaders(rawHeaders))
    if (!isStream) return
    this.#reply.flushSoon()
    if (this.#sources) this.#reply.write(this.#sources.chunk)
    this.#sources = undefined
  }

  onChunk(bytes: Buffer): boolean {
    this.#isSilent = false
    this.#sent.first ??= bytes
    this.#sent.last = bytes
    if (!this.#sources) return this.#reply.write(bytes)
    const extended = this.#sources.addToBody(bytes)
    this.#sources = undefined
    return this.#reply.write(extended)
  }

  onEnd(): void {
    this.#reply.end()
  }

  onBody(original: Buffer, { status, rawHeaders }: ResponseHead): void {
    if (this.#isEarly) {
      this.#endWithFailure(new Failure("upstream_broken", "The provider did not send a stream."))
      return
    }
    const body = this.#sources ? this.#sources.addToBody(original) : original
    const headers = forwardedResponseHeaders(rawHeaders)
    headers.push("content-length", `${body.length}`)
    this.#writeHead(status, headers)
    this.#reply.end(body)
  }

  onErrorReply(error: ProviderErrorReply, { rawHeaders }: ResponseHead): void {
    if (this.#isEarly) {
      this.#endWithFailure(toAnswerError(error))
      return
    }
    const { operation, onOperationMissing } = this.#options
    if (onOperationMissing && mayBeMissing(error.status)) {
      onOperationMissing()
      return
    }
    const { encodeError } = operation
    const isWrapped = encodeError && error.message !== null
    const body = isWrapped
      ? Buffer.from(JSON.stringify(encodeError(toAnswerError(error))))
      : error.body
    const headers = errorReplyHeaders(forwardedResponseHeaders(rawHeaders), { ...error, body })
    this.#writeHead(error.status, headers)
    this.#reply.end(body)
  }

  /** Ends a stream with an error event. Other responses are cut off, so that the client notices. */
  onFailure(failure: Failure, { head, isEventOpen }: FailurePoint): void {
    const reply = this.#reply
    // Before the response ends: the access log is written as soon as it has.
    this.#context.failure = failure
    if (!(head || this.#isEarly)) reply.sendFailure(this.#options.operation.api, failure)
    else if (this.#isEarly || head?.isStream) this.#endWithFailure(failure, isEventOpen)
    else reply.abort()
  }

  onDone(): void {
    clearInterval(this.#pingTimer)
  }

  #writeHead(status: number, headers: string[]): void {
    const { dropped, operation } = this.#options
    dropped?.addHeader(headers)
    if (operation.api === "anthropic") this.#reply.addAnthropicRequestId(headers)
    if (this.#admitted) headers.push(...this.#admitted.limitHeaders(operation.api))
    this.#reply.head(status, headers)
  }

  #endWithFailure(error: AnswerError, isEventOpen = false): void {
    const event = this.#options.formatFailure(error, this.#sent)
    this.#reply.end(`${isEventOpen ? "\n\n" : ""}${event}`)
  }

  /** Proxies and clients close connections that are silent: the head is sent with the first ping. */
  #ping(): void {
    const { outgoing } = this.#context
    if (outgoing.destroyed) {
      clearInterval(this.#pingTimer)
      return
    }
    if (!outgoing.headersSent) {
      this.#isEarly = true
      this.#writeHead(200, [...eventStreamHeaders])
    }
    this.#reply.write(this.#options.operation.stream.ping ?? "")
  }
}

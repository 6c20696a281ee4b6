import { headerOf, type RequestHandle, type UpstreamError } from "@portico/http1"
import type { AttemptTarget } from "../../connections/attempt-target.ts"
import type { Connection } from "../../connections/connection.ts"
import type { ResponseReceiver } from "../../connections/response-receiver.ts"
import {
  createContentTypeFailure,
  createEndedEarlyFailure,
  toUpstreamFailure,
} from "../../connections/upstream-errors.ts"
import { Failure } from "../../errors.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import type { AdmittedRequest } from "../../limits/admission/admitted-request.ts"
import { outcomeOfFailure } from "../../limits/admission/limit-failure.ts"
import { outcomeOfErrorStatus } from "../../usage/outcome-of-error-status.ts"
import type { RequestOutcome } from "../../usage/schema.ts"
import { isErrorBody, toErrorReply } from "./provider-error-reply.ts"
import type {
  ResponseConsumer,
  ResponseHandle,
  ResponseHead,
  ResponseResult,
  StreamScanner,
} from "./response-consumer.ts"
import { ResponseUsage } from "./response-usage.ts"

/** A body that is not streamed is read up to this size; a consumer may pass longer ones on. */
const maxBodyBytes = 16_000_000
/** A longer error body is truncated. */
const maxErrorBytes = 1024 * 1024

const empty = Buffer.alloc(0)

type Stage =
  /** Nothing has arrived yet. */
  | "waiting"
  /** An error body is being read. */
  | "error"
  /** A body that is not streamed is being read. */
  | "body"
  /** Bytes are passed on as they arrive. */
  | "passing"
  | "over"

interface Deps {
  consumer: ResponseConsumer
  scanner: StreamScanner
  /** Called exactly once, when the consumer is done. */
  onDone: (result: ResponseResult) => void
  /** Called with an error that could not be reported to the consumer. */
  onUnexpectedError: (error: unknown) => void
}

/**
 * Reads a provider's response for a consumer: tells streams, bodies and errors apart, limits their
 * size, checks that they are complete, and records the usage when the response ends.
 */
export class ResponseReader implements ResponseReceiver, ResponseHandle {
  readonly #deps: Deps
  readonly #usage: ResponseUsage
  /** How the response ended. */
  #ended: Pick<ResponseResult, "outcome" | "status"> | null = null
  #handle: RequestHandle | null = null
  #connection: Connection | null = null
  #stage: Stage = "waiting"
  #head: ResponseHead | null = null
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#usage = new ResponseUsage(deps.scanner)
    // The consumer resumes the response when its client has caught up, and cancels it if it leaves.
    deps.consumer.onOpen?.(this)
  }

  get isEventOpen(): boolean {
    return this.#deps.scanner.isEventOpen
  }

  /**
   * Call once, before the request is sent.
   * @param admitted null if no usage is recorded
   * @returns false if the response has already ended, so that the request must not be sent
   */
  begin(admitted: AdmittedRequest | null): boolean {
    this.#usage.begin(admitted?.usageRecorder ?? null)
    if (this.#ended) {
      this.#usage.settleWithoutTokens(this.#ended)
      return false
    }
    if (admitted) this.#deps.consumer.onAdmitted?.(admitted)
    return true
  }

  /** Sets the handle used to resume and cancel the upstream request. */
  attach(handle: RequestHandle): void {
    if (this.#stage === "over") handle.cancel()
    this.#handle = handle
  }

  resume(): void {
    this.#handle?.resume()
  }

  /** Ends the response as its client wishes. */
  cancel(): void {
    this.stop("client_cancelled")
  }

  stop(outcome: RequestOutcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#handle?.cancel()
    if (failure) this.#fail(failure, outcome)
    else this.#finish(outcome)
  }

  /** Ends the response after an unexpected error, which cannot be reported to the consumer. */
  abandon(): void {
    if (this.#stage === "over") return
    this.#stage = "over"
    this.#handle?.cancel()
    this.#ended = { outcome: "upstream_error", status: 500 }
    this.#usage.settleWithoutTokens(this.#ended)
  }

  onAttemptSelected(target: AttemptTarget, requestsSent: number): void {
    this.#connection = target.connection
    this.#usage.setTarget(target, requestsSent)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    if (this.#stage === "over") return // its client left while a large answer was converted
    const type = (headerOf(rawHeaders, "content-type") ?? "").toLowerCase()
    const isStream = type.startsWith("text/event-stream")
    this.#head = { status, rawHeaders, isStream }
    const isError = status < 200 || status > 299
    if (this.#deps.consumer.passesEverything || (isStream && !isError)) this.#start(this.#head)
    else if (isError) this.#stage = "error"
    else if (type === "" || type.includes("json")) this.#stage = "body"
    else this.#rejectContentType(type)
  }

  onData(chunk: Buffer): boolean {
    if (this.#stage === "passing") return this.#pass(chunk)
    if (this.#stage === "over") return true
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    return this.#stage === "error" ? this.#limitError() : this.#limitBody()
  }

  onEnd(): void {
    if (this.#stage === "error") this.#endError()
    else if (this.#stage === "body") this.#endBody()
    else if (this.#stage === "passing") this.#endPassing()
  }

  onError(error: UpstreamError): void {
    if (this.#stage === "error") this.#endError()
    else if (this.#stage !== "over") this.#fail(toUpstreamFailure(error, this.#connection))
  }

  onListenerError(error: unknown): void {
    if (!(error instanceof Failure) || this.#stage === "over") this.#deps.onUnexpectedError(error)
    else this.stop(outcomeOfFailure(error), error)
  }

  #start(head: ResponseHead): void {
    this.#stage = "passing"
    this.#deps.consumer.onStart(head)
  }

  #pass(chunk: Buffer): boolean {
    this.#usage.markFirstToken()
    if (!this.#isScanned()) {
      this.#usage.readBodyChunk(chunk)
      return this.#deps.consumer.onChunk(chunk)
    }
    const bytes = this.#deps.scanner.push(chunk)
    return bytes.length === 0 || this.#deps.consumer.onChunk(bytes)
  }

  #isScanned(): boolean {
    return this.#head?.isStream === true || this.#deps.consumer.passesEverything === true
  }

  #limitError(): boolean {
    if (this.#bufferedBytes <= maxErrorBytes) return true
    this.#handle?.cancel()
    this.#endError()
    return true
  }

  #limitBody(): boolean {
    const { passesBodiesAbove = Number.POSITIVE_INFINITY } = this.#deps.consumer
    if (this.#bufferedBytes > passesBodiesAbove && this.#head) {
      this.#start(this.#head)
      return this.#pass(this.#takeBuffered())
    }
    if (this.#bufferedBytes > maxBodyBytes)
      throw new MalformedResponse(`it exceeds ${maxBodyBytes / 1e6} MB`)
    return true
  }

  #takeBuffered(): Buffer {
    const [only] = this.#buffered
    const body = this.#buffered.length === 1 && only ? only : Buffer.concat(this.#buffered)
    this.#buffered = []
    return body
  }

  /** A success in a format that no client can read, such as a sign-in page. */
  #rejectContentType(type: string): void {
    this.#handle?.cancel()
    this.#fail(createContentTypeFailure(this.#connection, type))
  }

  #endError(): void {
    const head = this.#receivedHead()
    const error = toErrorReply(head.status, this.#takeBuffered(), this.#connection)
    if (error instanceof Failure) this.#fail(error)
    else {
      const { status } = error
      this.#conclude({ outcome: outcomeOfErrorStatus(status), status, failure: undefined }, () =>
        this.#deps.consumer.onErrorReply?.(error, head),
      )
    }
  }

  #endBody(): void {
    const body = this.#takeBuffered()
    this.#usage.markFirstToken()
    this.#deps.consumer.onBody?.(body, this.#receivedHead())
    this.#usage.readBody(body)
    this.#finish(isErrorBody(body) ? "upstream_error" : "ok")
  }

  #endPassing(): void {
    if (!this.#isScanned()) this.#usage.endBodyChunks()
    else if (!this.#passEndOfStream()) {
      this.#fail(createEndedEarlyFailure(this.#connection))
      return
    }
    this.#deps.consumer.onEnd()
    const { status } = this.#receivedHead()
    if (status >= 400) this.#finish(outcomeOfErrorStatus(status))
    else this.#finish(this.#deps.scanner.hasError ? "upstream_error" : "ok")
  }

  /** @returns whether the stream is complete */
  #passEndOfStream(): boolean {
    const rest = this.#deps.scanner.end()
    if (rest && rest.length > 0) this.#deps.consumer.onChunk(rest)
    return rest !== null
  }

  #fail(failure: Failure, outcome: RequestOutcome = "upstream_error"): void {
    if (this.#stage === "over") return
    const head = this.#stage === "passing" ? this.#head : null
    this.#conclude({ outcome, status: head?.status ?? failure.status, failure }, () => {
      const rest = head ? this.#deps.scanner.breakOff() : empty
      if (rest.length > 0) this.#deps.consumer.onChunk(rest)
      this.#deps.consumer.onFailure(failure, { head, isEventOpen: this.#deps.scanner.isEventOpen })
    })
  }

  #receivedHead(): ResponseHead {
    if (!this.#head) throw new Error("A response ended before its head")
    return this.#head
  }

  #finish(outcome: RequestOutcome): void {
    if (this.#stage === "over") return
    this.#conclude({ outcome, status: this.#head?.status ?? 0, failure: undefined }, () => {})
  }

  /**
   * Ends the response. The consumer may stop it in return; an exception of `notify` ends the request
   * instead, as nothing is left to report it to the consumer.
   */
  #conclude(
    { outcome, status, failure }: Pick<ResponseResult, "outcome" | "status" | "failure">,
    notify: () => void,
  ): void {
    this.#stage = "over"
    this.#ended = { outcome, status }
    let unreported: { error: unknown } | null = null
    try {
      notify()
    } catch (error) {
      unreported = { error }
    }
    const result = { outcome, status, failure, ...this.#usage.settle({ outcome, status }) }
    if (unreported) this.#deps.onUnexpectedError(unreported.error)
    else this.#deps.onDone(result)
    this.#deps.consumer.onDone?.(result)
  }
}

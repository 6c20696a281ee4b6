import type { Upstream } from "../connections/connection.ts"
import { forwardedHeaders } from "../connections/response-headers.ts"
import type { FailoverHandler } from "../connections/send.ts"
import { upstreamFailure } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"
import { errorBody } from "../http/errors.ts"
import { endOfNested } from "../http/json-members.ts"
import type { ResponseWriter } from "../http/response-writer.ts"
import type { RequestHandle } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import type { UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { RequestOutcome, TokenCounts } from "../usage/schema.ts"
import { parseTokenCounts } from "../usage/token-counts.ts"
import type { UsageRecorder } from "../usage/usage-recorder.ts"
import type { SourceEncoder } from "./sources.ts"
import type { SseScanner } from "./sse-scanner.ts"
import { type ErrorReply, errorReplyHeaders, toErrorReply } from "./upstream-response.ts"

/** A response that is not streamed is buffered up to this size and sent in one piece. */
const maxBufferedBytes = 1024 * 1024
/** How much of the end of a longer response is kept: it contains the usage. */
const keptTailBytes = 4096

type RelayStage =
  /** Nothing has been sent yet. */
  | "waiting"
  /** An error body is being read. */
  | "error"
  /** A response that is not streamed is being buffered. */
  | "whole"
  /** Bytes are forwarded as they arrive. */
  | "passing"
  | "over"

interface Deps {
  reply: ResponseWriter
  usageRecorder: UsageRecorder
  scanner: SseScanner
  /** Adds the sources that the answer is based on to the response. */
  sources?: SourceEncoder | undefined
  /** Called once when the response has ended, successfully or not. */
  onDone: (failure?: Failure) => void
}

const usageMark = Buffer.from('"usage"')
const openBrace = 0x7b

const usageOf = (body: Buffer): TokenCounts | null => {
  const at = body.lastIndexOf(usageMark)
  if (at < 0) return null
  const start = body.indexOf(openBrace, at)
  if (start < 0) return null
  try {
    return parseTokenCounts(JSON.parse(body.toString("utf8", start, endOfNested(body, start))))
  } catch {
    return null
  }
}

/**
 * Relays one upstream response to the client. Streams are forwarded as they arrive, with
 * back-pressure; other responses are sent in one piece; errors are converted to the OpenAI format.
 * The usage record is settled when the response ends.
 */
export class CompletionRelay implements FailoverHandler {
  readonly #reply: ResponseWriter
  readonly #usageRecorder: UsageRecorder
  readonly #scanner: SseScanner
  readonly #onDone: Deps["onDone"]
  readonly #sources: Deps["sources"]
  #handle: RequestHandle | null = null
  #upstream: Upstream | null = null
  #stage: RelayStage = "waiting"
  #streamed = false
  #status = 0
  #headers: string[] = []
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor({ reply, usageRecorder, scanner, sources, onDone }: Deps) {
    this.#reply = reply
    this.#usageRecorder = usageRecorder
    this.#scanner = scanner
    this.#onDone = onDone
    this.#sources = sources
    reply.onDrain(() => this.#handle?.resume())
    reply.onDisconnect(() => this.stop("client_cancelled"))
  }

  /** Sets the handle used to resume and cancel the upstream request. */
  attach(handle: RequestHandle): void {
    if (this.#stage === "over") handle.cancel()
    this.#handle = handle
  }

  onConnectionSelected(upstream: Upstream): void {
    this.#upstream = upstream
    this.#usageRecorder.setTarget(upstream.config.id, upstream.config.kind)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    this.#headers = forwardedHeaders(rawHeaders)
    // Node returns an array when the header occurs twice; its types do not say so.
    const type = (headerOf(rawHeaders, "content-type") ?? "").toLowerCase()
    this.#streamed = type.startsWith("text/event-stream")
    if (status < 200 || status > 299) this.#stage = "error"
    else if (this.#streamed) this.#beginStream()
    else if (type === "" || type.includes("json")) this.#stage = "whole"
    else this.#rejectContentType(type)
  }

  onData(chunk: Buffer): boolean {
    if (this.#stage === "passing") return this.#forward(chunk)
    if (this.#stage === "over") return true
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    return this.#bufferedBytes <= maxBufferedBytes || this.#exceedBuffer()
  }

  onEnd(): void {
    if (this.#stage === "error") this.#sendError()
    else if (this.#stage === "whole") this.#sendWhole()
    else if (this.#stage === "passing") this.#endForwarding()
  }

  onError(error: UpstreamError): void {
    const failure = upstreamFailure(error, this.#upstream)
    if (this.#stage === "error") this.#sendError()
    else if (this.#stage === "passing") this.#breakOff(failure)
    else if (this.#stage !== "over") this.#refuse(failure)
  }

  /**
   * Ends the response from the gateway's side: the client disconnected, its credential was revoked,
   * the gateway is shutting down, or a function failed.
   */
  stop(outcome: RequestOutcome, failure?: Failure): void {
    if (this.#stage === "over") return
    const passing = this.#stage === "passing"
    this.#handle?.cancel()
    if (failure && passing) this.#breakOff(failure, outcome)
    else if (failure) this.#refuse(failure, outcome)
    else this.#finish(outcome)
  }

  #beginStream(): void {
    this.#stage = "passing"
    this.#reply.head(this.#status, this.#headers)
    this.#reply.flushSoon()
    if (this.#sources) this.#reply.write(this.#sources.chunk)
  }

  #forward(chunk: Buffer): boolean {
    if (!this.#streamed) return this.#forwardUnbuffered(chunk)
    this.#usageRecorder.markFirstToken()
    const bytes = this.#scanner.push(chunk)
    return bytes.length === 0 || this.#reply.write(bytes)
  }

  /**
   * A long error is truncated. Of a long response, the rest is forwarded and only its end is kept.
   */
  #exceedBuffer(): boolean {
    if (this.#stage === "error") {
      this.#handle?.cancel()
      this.#sendError()
      return true
    }
    this.#stage = "passing"
    this.#usageRecorder.markFirstToken()
    this.#reply.head(this.#status, this.#headers)
    const buffered = Buffer.concat(this.#buffered)
    this.#buffered = []
    return this.#forwardUnbuffered(this.#sources ? this.#sources.addToBody(buffered) : buffered)
  }

  #forwardUnbuffered(chunk: Buffer): boolean {
    const joined = chunk.length >= keptTailBytes ? chunk : Buffer.concat([...this.#buffered, chunk])
    this.#buffered = [joined.subarray(-keptTailBytes)]
    return this.#reply.write(chunk)
  }

  /** A success in a format that no client of this route can read, such as a sign-in page. */
  #rejectContentType(type: string): void {
    this.#handle?.cancel()
    const message = `The provider "${this.#upstream?.config.name}" responded with ${type.slice(0, 100)} instead of a completion.`
    this.#refuse(new Failure("upstream_broken", message))
  }

  #refuse(failure: Failure, outcome: RequestOutcome = "upstream_error"): void {
    this.#reply.sendFailure("openai", failure)
    this.#status = failure.status
    this.#finish(outcome, failure)
  }

  #sendError(): void {
    const error = toErrorReply(this.#status, Buffer.concat(this.#buffered), this.#upstream)
    if (error instanceof Failure) this.#refuse(error)
    else this.#forwardError(error)
  }

  #forwardError(error: ErrorReply): void {
    const { status, body } = error
    this.#reply.head(status, errorReplyHeaders(this.#headers, error))
    this.#reply.end(body)
    this.#finish(outcomeOfErrorStatus(status))
  }

  #sendWhole(): void {
    this.#usageRecorder.markFirstToken()
    const [only] = this.#buffered
    const original = this.#buffered.length === 1 && only ? only : Buffer.concat(this.#buffered)
    const body = this.#sources ? this.#sources.addToBody(original) : original
    this.#headers.push("content-length", `${body.length}`)
    this.#reply.head(this.#status, this.#headers)
    this.#reply.end(body)
    this.#scanner.tokens = usageOf(original)
    this.#finish("ok")
  }

  #endForwarding(): void {
    if (this.#streamed && !this.#completeStream()) {
      const name = this.#upstream?.config.name
      const message = `The provider "${name}" ended its response prematurely.`
      this.#breakOff(new Failure("upstream_broken", message))
      return
    }
    if (!this.#streamed) this.#scanner.tokens = usageOf(Buffer.concat(this.#buffered))
    this.#reply.end()
    this.#finish("ok")
  }

  /**
   * Whether the stream that just ended is complete. Adds the terminator if only that is missing.
   */
  #completeStream(): boolean {
    const rest = this.#scanner.takeRemainder()
    if (rest.length > 0) this.#reply.write(rest)
    const { hasTerminator, hasFinishReason, missingTerminator, isFrameOpen } = this.#scanner
    if (hasTerminator || !hasFinishReason) return hasTerminator
    if (missingTerminator)
      this.#reply.write(isFrameOpen ? `\n\n${missingTerminator}` : missingTerminator)
    return true
  }

  /** Ends a stream with an error event. Other responses are cut off, so that the client notices. */
  #breakOff(failure: Failure, outcome: RequestOutcome = "upstream_error"): void {
    if (this.#streamed) {
      const rest = this.#scanner.takeRemainder()
      if (rest.length > 0) this.#reply.write(rest)
      const { error } = JSON.parse(errorBody("openai", failure))
      const event = `data: ${JSON.stringify({ error })}\n\n`
      this.#reply.end(this.#scanner.isFrameOpen ? `\n\n${event}` : event)
    } else {
      this.#reply.abort()
    }
    this.#finish(outcome, failure)
  }

  #finish(outcome: RequestOutcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#stage = "over"
    const { tokens, eventCount } = this.#scanner
    this.#usageRecorder.settle({ outcome, status: this.#status, tokens, chunksOut: eventCount })
    this.#onDone(failure)
  }
}

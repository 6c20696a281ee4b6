import type { Upstream } from "../connections/connection.ts"
import { passedHeaders } from "../connections/response-headers.ts"
import type { SendListener } from "../connections/send.ts"
import { failureOf } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"
import { errorBody } from "../http/errors.ts"
import { nestedEnd } from "../http/json-members.ts"
import type { Reply } from "../http/response-writer.ts"
import type { Flow } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import type { UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { Outcome, Tokens } from "../usage/schema.ts"
import { countedTokens } from "../usage/token-counts.ts"
import type { Meter } from "../usage/usage-recorder.ts"
import type { SourceWords } from "./sources.ts"
import type { Frames } from "./sse-scanner.ts"
import { errorHeaders, type WholeError, wholeError } from "./upstream-response.ts"

/** A response that is not streamed is buffered up to this size and sent in one piece. */
const maxBufferedBytes = 1024 * 1024
/** How much of the end of a longer response is kept: it contains the usage. */
const tailBytes = 4096

type Stage =
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
  reply: Reply
  meter: Meter
  frames: Frames
  /** Adds the sources that the answer is based on to the response. */
  sources?: SourceWords | undefined
  /** Called once when the response has ended, successfully or not. */
  over: (failure?: Failure) => void
}

const usageMark = Buffer.from('"usage"')
const openBrace = 0x7b

const usageOf = (body: Buffer): Tokens | null => {
  const at = body.lastIndexOf(usageMark)
  if (at < 0) return null
  const start = body.indexOf(openBrace, at)
  if (start < 0) return null
  try {
    return countedTokens(JSON.parse(body.toString("utf8", start, nestedEnd(body, start))))
  } catch {
    return null
  }
}

/**
 * Relays one upstream response to the client. Streams are forwarded as they arrive, with
 * back-pressure; other responses are sent in one piece; errors are converted to the OpenAI format.
 * The usage record is settled when the response ends.
 */
export class Relay implements SendListener {
  readonly #reply: Reply
  readonly #usageRecorder: Meter
  readonly #scanner: Frames
  readonly #onDone: Deps["over"]
  readonly #sources: Deps["sources"]
  #handle: Flow | null = null
  #upstream: Upstream | null = null
  #stage: Stage = "waiting"
  #streamed = false
  #status = 0
  #headers: string[] = []
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor({ reply, meter, frames, sources, over }: Deps) {
    this.#reply = reply
    this.#usageRecorder = meter
    this.#scanner = frames
    this.#onDone = over
    this.#sources = sources
    reply.onDrain(() => this.#handle?.resume())
    reply.onGone(() => this.stop("client_cancelled"))
  }

  /** Sets the handle used to resume and cancel the upstream request. */
  follow(flow: Flow): void {
    if (this.#stage === "over") flow.cancel()
    this.#handle = flow
  }

  chosen(upstream: Upstream): void {
    this.#upstream = upstream
    this.#usageRecorder.sentTo(upstream.config.id, upstream.config.kind)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    this.#headers = passedHeaders(rawHeaders)
    // Node returns an array when the header occurs twice; its types do not say so.
    const type = (headerOf(rawHeaders, "content-type") ?? "").toLowerCase()
    this.#streamed = type.startsWith("text/event-stream")
    if (status < 200 || status > 299) this.#stage = "error"
    else if (this.#streamed) this.#beginStream()
    else if (type === "" || type.includes("json")) this.#stage = "whole"
    else this.#rejectContentType(type)
  }

  data(chunk: Buffer): boolean {
    if (this.#stage === "passing") return this.#forward(chunk)
    if (this.#stage === "over") return true
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    return this.#bufferedBytes <= maxBufferedBytes || this.#exceedBuffer()
  }

  end(): void {
    if (this.#stage === "error") this.#sendError()
    else if (this.#stage === "whole") this.#sendWhole()
    else if (this.#stage === "passing") this.#endForwarding()
  }

  broke(error: UpstreamError): void {
    const failure = failureOf(error, this.#upstream)
    if (this.#stage === "error") this.#sendError()
    else if (this.#stage === "passing") this.#breakOff(failure)
    else if (this.#stage !== "over") this.#refuse(failure)
  }

  /**
   * Ends the response from the gateway's side: the client disconnected, its credential was revoked,
   * the gateway is shutting down, or a function failed.
   */
  stop(outcome: Outcome, failure?: Failure): void {
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
    this.#usageRecorder.firstToken()
    const bytes = this.#scanner.pass(chunk)
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
    this.#usageRecorder.firstToken()
    this.#reply.head(this.#status, this.#headers)
    const kept = Buffer.concat(this.#buffered)
    this.#buffered = []
    return this.#forwardUnbuffered(this.#sources ? this.#sources.whole(kept) : kept)
  }

  #forwardUnbuffered(chunk: Buffer): boolean {
    const joined = chunk.length >= tailBytes ? chunk : Buffer.concat([...this.#buffered, chunk])
    this.#buffered = [joined.subarray(-tailBytes)]
    return this.#reply.write(chunk)
  }

  /** A success in a format that no client of this route can read, such as a sign-in page. */
  #rejectContentType(type: string): void {
    this.#handle?.cancel()
    const message = `The provider "${this.#upstream?.config.name}" responded with ${type.slice(0, 100)} instead of a completion.`
    this.#refuse(new Failure("upstream_broken", message))
  }

  #refuse(failure: Failure, outcome: Outcome = "upstream_error"): void {
    this.#reply.refuse("openai", failure)
    this.#status = failure.status
    this.#finish(outcome, failure)
  }

  #sendError(): void {
    const error = wholeError(this.#status, Buffer.concat(this.#buffered), this.#upstream)
    if (error instanceof Failure) this.#refuse(error)
    else this.#forwardError(error)
  }

  #forwardError(error: WholeError): void {
    const { status, body } = error
    this.#reply.head(status, errorHeaders(this.#headers, error))
    this.#reply.end(body)
    this.#finish(outcomeOfErrorStatus(status))
  }

  #sendWhole(): void {
    this.#usageRecorder.firstToken()
    const [only] = this.#buffered
    const own = this.#buffered.length === 1 && only ? only : Buffer.concat(this.#buffered)
    const body = this.#sources ? this.#sources.whole(own) : own
    this.#headers.push("content-length", `${body.length}`)
    this.#reply.head(this.#status, this.#headers)
    this.#reply.end(body)
    this.#scanner.tokens = usageOf(own)
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
    const rest = this.#scanner.remainder()
    if (rest.length > 0) this.#reply.write(rest)
    const { ended, finished, closing, open } = this.#scanner
    if (ended || !finished) return ended
    if (closing) this.#reply.write(open ? `\n\n${closing}` : closing)
    return true
  }

  /** Ends a stream with an error event. Other responses are cut off, so that the client notices. */
  #breakOff(failure: Failure, outcome: Outcome = "upstream_error"): void {
    if (this.#streamed) {
      const rest = this.#scanner.remainder()
      if (rest.length > 0) this.#reply.write(rest)
      const { error } = JSON.parse(errorBody("openai", failure))
      const event = `data: ${JSON.stringify({ error })}\n\n`
      this.#reply.end(this.#scanner.open ? `\n\n${event}` : event)
    } else {
      this.#reply.cut()
    }
    this.#finish(outcome, failure)
  }

  #finish(outcome: Outcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#stage = "over"
    const { tokens, events } = this.#scanner
    this.#usageRecorder.settle({ outcome, status: this.#status, tokens, piecesOut: events })
    this.#onDone(failure)
  }
}

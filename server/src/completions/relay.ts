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

/** Up to here a reply that is not streamed is kept until whole, and then sent in one piece. */
const maxBufferedBytes = 1024 * 1024
/** Of a longer one the end is kept, where its usage stands. */
const tailBytes = 4096

type Stage =
  /** Nothing was sent yet. */
  | "waiting"
  /** An error is being read. */
  | "error"
  /** A reply that is not streamed is being read. */
  | "whole"
  /** Bytes go through. */
  | "passing"
  | "over"

interface Deps {
  reply: Reply
  meter: Meter
  frames: Frames
  /** What the reply says of the files it rests on. */
  sources?: SourceWords | undefined
  /** Told when the reply is over, in whatever way. */
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
 * Carries one upstream reply to the client. Streams pass as they come, under back-pressure; other
 * replies go in one piece; errors become what the contract says. Its end settles the meter.
 */
export class Relay implements SendListener {
  readonly #reply: Reply
  readonly #meter: Meter
  readonly #frames: Frames
  readonly #over: Deps["over"]
  readonly #sources: Deps["sources"]
  #flow: Flow | null = null
  #upstream: Upstream | null = null
  #stage: Stage = "waiting"
  #streamed = false
  #status = 0
  #headers: string[] = []
  #kept: Buffer[] = []
  #keptBytes = 0

  constructor({ reply, meter, frames, sources, over }: Deps) {
    this.#reply = reply
    this.#meter = meter
    this.#frames = frames
    this.#over = over
    this.#sources = sources
    reply.onDrain(() => this.#flow?.resume())
    reply.onGone(() => this.stop("client_cancelled"))
  }

  /** Where to turn for more, and whom to stop. */
  follow(flow: Flow): void {
    if (this.#stage === "over") flow.cancel()
    this.#flow = flow
  }

  chosen(upstream: Upstream): void {
    this.#upstream = upstream
    this.#meter.sentTo(upstream.config.id, upstream.config.kind)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    this.#headers = passedHeaders(rawHeaders)
    // Sent twice it is a list, though no type says so.
    const type = (headerOf(rawHeaders, "content-type") ?? "").toLowerCase()
    this.#streamed = type.startsWith("text/event-stream")
    if (status < 200 || status > 299) this.#stage = "error"
    else if (this.#streamed) this.#beginStream()
    else if (type === "" || type.includes("json")) this.#stage = "whole"
    else this.#unfit(type)
  }

  data(chunk: Buffer): boolean {
    if (this.#stage === "passing") return this.#passOn(chunk)
    if (this.#stage === "over") return true
    this.#kept.push(chunk)
    this.#keptBytes += chunk.length
    return this.#keptBytes <= maxBufferedBytes || this.#tooMuchToKeep()
  }

  end(): void {
    if (this.#stage === "error") this.#sendError()
    else if (this.#stage === "whole") this.#sendWhole()
    else if (this.#stage === "passing") this.#endPassing()
  }

  broke(error: UpstreamError): void {
    const failure = failureOf(error, this.#upstream)
    if (this.#stage === "error") this.#sendError()
    else if (this.#stage === "passing") this.#breakOff(failure)
    else if (this.#stage !== "over") this.#refuse(failure)
  }

  /** Ends it from our side: the client left, its credential was revoked, we shut down, or a function failed. */
  stop(outcome: Outcome, failure?: Failure): void {
    if (this.#stage === "over") return
    const passing = this.#stage === "passing"
    this.#flow?.cancel()
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

  #passOn(chunk: Buffer): boolean {
    if (!this.#streamed) return this.#passLong(chunk)
    this.#meter.firstToken()
    const bytes = this.#frames.pass(chunk)
    return bytes.length === 0 || this.#reply.write(bytes)
  }

  /** Nobody reads an error as long as that; a long reply goes on, and only its end is kept. */
  #tooMuchToKeep(): boolean {
    if (this.#stage === "error") {
      this.#flow?.cancel()
      this.#sendError()
      return true
    }
    this.#stage = "passing"
    this.#meter.firstToken()
    this.#reply.head(this.#status, this.#headers)
    const kept = Buffer.concat(this.#kept)
    this.#kept = []
    return this.#passLong(this.#sources ? this.#sources.whole(kept) : kept)
  }

  #passLong(chunk: Buffer): boolean {
    const joined = chunk.length >= tailBytes ? chunk : Buffer.concat([...this.#kept, chunk])
    this.#kept = [joined.subarray(-tailBytes)]
    return this.#reply.write(chunk)
  }

  /** Success in a form that no client of this route can read, such as a sign-in page. */
  #unfit(type: string): void {
    this.#flow?.cancel()
    const message = `The provider "${this.#upstream?.config.name}" answered with ${type.slice(0, 100)} in place of a completion`
    this.#refuse(new Failure("upstream_broken", message))
  }

  #refuse(failure: Failure, outcome: Outcome = "upstream_error"): void {
    this.#reply.refuse("openai", failure)
    this.#status = failure.status
    this.#finish(outcome, failure)
  }

  #sendError(): void {
    const error = wholeError(this.#status, Buffer.concat(this.#kept), this.#upstream)
    if (error instanceof Failure) this.#refuse(error)
    else this.#passError(error)
  }

  #passError(error: WholeError): void {
    const { status, body } = error
    this.#reply.head(status, errorHeaders(this.#headers, error))
    this.#reply.end(body)
    this.#finish(outcomeOfErrorStatus(status))
  }

  #sendWhole(): void {
    this.#meter.firstToken()
    const [only] = this.#kept
    const own = this.#kept.length === 1 && only ? only : Buffer.concat(this.#kept)
    const body = this.#sources ? this.#sources.whole(own) : own
    this.#headers.push("content-length", `${body.length}`)
    this.#reply.head(this.#status, this.#headers)
    this.#reply.end(body)
    this.#frames.tokens = usageOf(own)
    this.#finish("ok")
  }

  #endPassing(): void {
    if (this.#streamed && !this.#whole()) {
      const name = this.#upstream?.config.name
      const message = `The provider "${name}" ended its reply before it was whole`
      this.#breakOff(new Failure("upstream_broken", message))
      return
    }
    if (!this.#streamed) this.#frames.tokens = usageOf(Buffer.concat(this.#kept))
    this.#reply.end()
    this.#finish("ok")
  }

  /** Whether the stream that just ended is whole; one that lacks only its last word is given it. */
  #whole(): boolean {
    const rest = this.#frames.remainder()
    if (rest.length > 0) this.#reply.write(rest)
    const { ended, finished, closing, open } = this.#frames
    if (ended || !finished) return ended
    if (closing) this.#reply.write(open ? `\n\n${closing}` : closing)
    return true
  }

  /** The last word of a stream that cannot go on; other replies are cut, so that it shows. */
  #breakOff(failure: Failure, outcome: Outcome = "upstream_error"): void {
    if (this.#streamed) {
      const rest = this.#frames.remainder()
      if (rest.length > 0) this.#reply.write(rest)
      const { error } = JSON.parse(errorBody("openai", failure))
      const event = `data: ${JSON.stringify({ error })}\n\n`
      this.#reply.end(this.#frames.open ? `\n\n${event}` : event)
    } else {
      this.#reply.cut()
    }
    this.#finish(outcome, failure)
  }

  #finish(outcome: Outcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#stage = "over"
    const { tokens, events } = this.#frames
    this.#meter.settle({ outcome, status: this.#status, tokens, piecesOut: events })
    this.#over(failure)
  }
}

import type { Upstream } from "../connections/connection.ts"
import { passedHeaders } from "../connections/response-headers.ts"
import type { SendListener } from "../connections/send.ts"
import { failureOf } from "../connections/upstream-errors.ts"
import type { Failure } from "../errors.ts"
import { type ErrorStyle, errorBody } from "../http/errors.ts"
import type { Reply } from "../http/response-writer.ts"
import type { Flow } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import type { UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { Outcome } from "../usage/schema.ts"
import type { Meter } from "../usage/usage-recorder.ts"
import { Tail } from "./usage-scanner.ts"

interface Deps {
  reply: Reply
  style: ErrorStyle
  /** Null for requests that use no model. */
  meter: Meter | null
  /** Told when the reply is over: its status, 0 when there was none, and what went wrong. */
  over: (status: number, failure?: Failure) => void
}

const outcomeOf = (status: number): Outcome => (status < 400 ? "ok" : outcomeOfErrorStatus(status))

/** Carries a reply through: its status, the headers that may pass, and its bytes as they come. */
export class Pass implements SendListener {
  readonly #needs: Deps
  readonly #tail = new Tail()
  #flow: Flow | null = null
  #upstream: Upstream | null = null
  #status = 0
  #type = ""
  /** Whether its length was told to the client: nothing may be added to it. */
  #isCounted = false
  #over = false

  constructor(deps: Deps) {
    this.#needs = deps
    deps.reply.onDrain(() => this.#flow?.resume())
    deps.reply.onGone(() => this.stop("client_cancelled"))
  }

  follow(flow: Flow): void {
    if (this.#over) flow.cancel()
    this.#flow = flow
  }

  chosen(upstream: Upstream): void {
    this.#upstream = upstream
    this.#needs.meter?.sentTo(upstream.config.id, upstream.config.kind)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    this.#type = headerOf(rawHeaders, "content-type") ?? ""
    const headers = passedHeaders(rawHeaders)
    const length = headerOf(rawHeaders, "content-length")
    this.#isCounted = length !== null
    if (length !== null) headers.push("content-length", length)
    this.#needs.reply.head(status, headers)
    this.#needs.reply.flushSoon()
  }

  data(chunk: Buffer): boolean {
    this.#needs.meter?.firstToken()
    this.#tail.push(chunk)
    return this.#needs.reply.write(chunk)
  }

  end(): void {
    if (this.#over) return
    this.#needs.reply.end()
    this.#finish(outcomeOf(this.#status))
  }

  broke(error: UpstreamError): void {
    if (this.#over) return
    this.#breakOff(failureOf(error, this.#upstream), "upstream_error")
  }

  /** Ends it from our side: the client left, its credential was revoked, or we shut down. */
  stop(outcome: "client_cancelled" | "revoked" | "shut_down", failure?: Failure): void {
    if (this.#over) return
    this.#flow?.cancel()
    if (failure) this.#breakOff(failure, outcome)
    else this.#finish(outcome)
  }

  #breakOff(failure: Failure, outcome: Outcome): void {
    const { reply, style } = this.#needs
    if (this.#status === 0) reply.refuse(style, failure)
    else if (this.#isCounted) reply.cut()
    else if (this.#type.includes("ndjson")) reply.end(this.#lastLine(failure))
    else if (this.#type.startsWith("text/event-stream")) reply.end(this.#lastEvent(failure))
    else reply.cut()
    this.#finish(outcome, failure)
  }

  /** The runtime's own way to say that a stream broke: a line with `error`. */
  #lastLine(failure: Failure): string {
    return `${this.#tail.atLineEnd ? "" : "\n"}${errorBody("runtime", failure)}\n`
  }

  #lastEvent(failure: Failure): string {
    const { error } = JSON.parse(errorBody("openai", failure))
    // Behind a whole line an event may be open all the same, of which this would become a part.
    return `${this.#tail.atLineEnd ? "\n" : "\n\n"}data: ${JSON.stringify({ error })}\n\n`
  }

  #finish(outcome: Outcome, failure?: Failure): void {
    if (this.#over) return
    this.#over = true
    const { meter, over } = this.#needs
    const status = this.#status || (failure?.status ?? 0)
    const tokens = outcome === "ok" ? this.#tail.tokens() : null
    meter?.settle({ outcome, status, tokens, piecesOut: this.#tail.lines })
    over(this.#status, failure)
  }
}

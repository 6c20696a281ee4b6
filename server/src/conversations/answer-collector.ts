import type { Hearing } from "../completions/dispatch.ts"
import { chatEndings, Frames } from "../completions/sse-scanner.ts"
import { wholeError } from "../completions/upstream-response.ts"
import type { Upstream } from "../connections/connection.ts"
import { failureOf } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"
import { readErrorBody } from "../formats/error-body.ts"
import { isObject } from "../formats/json-values.ts"
import type { Cited } from "../knowledge/citations.ts"
import type { Flow } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import { UnreadableReply, type UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { Outcome, Tokens } from "../usage/schema.ts"
import { countedTokens } from "../usage/token-counts.ts"
import type { Meter } from "../usage/usage-recorder.ts"
import { createDeltaReader, type Delta, deltaOf } from "./chat-delta.ts"
import type { MessageError } from "./schema.ts"
import { createThinkingSplitter } from "./thinking-splitter.ts"

const maxErrorBytes = 64 * 1024
const maxWholeBytes = 16_000_000
const maxCharacters = 4_000_000
const maxRawCharacters = 4000

export interface Collected {
  /** As stored in the usage record. */
  outcome: Outcome
  error: MessageError | null
  finish_reason: string | null
  tokens: Tokens | null
  /** Content chunks received, about one per token; used for an estimate. */
  pieces: number
  failure: Failure | undefined
}

interface Deps {
  meter: Meter
  /** Called with text that was added to the answer. */
  grew: (parts: { content: string; reasoning: string }) => void
  /** Called before anything else if the answer is based on files. */
  cited?: (cited: Cited) => void
  /** Called with the sources that a function or provider reports itself, unparsed. */
  told?: (sources: unknown) => void
  /** Called exactly once, when the response has ended. */
  over: (collected: Collected) => void
}

const ofFailure = ({ code, message }: Failure): MessageError => ({
  code,
  message,
  status: null,
  raw: null,
})

const ofProvider = (raw: string, status: number | null, upstream: Upstream | null) => {
  const name = upstream ? `The provider "${upstream.config.name}"` : "The provider"
  const said = readErrorBody(raw) ?? {
    message: `${name} reported an error.`,
    code: "upstream_error",
  }
  const message = said.message.slice(0, maxRawCharacters)
  return { ...said, message, status, raw: raw.slice(0, maxRawCharacters) }
}

const withoutNul = (text: string): string => text.replaceAll("\u0000", "")

/** Consumes an upstream's response for a chat: passes on its text, and at the end the outcome. */
export class Collector implements Hearing {
  readonly #deps: Deps
  readonly #scanner = new Frames(chatEndings, false)
  readonly #reader = createDeltaReader()
  readonly #splitter = createThinkingSplitter()
  #handle: Flow | null = null
  #upstream: Upstream | null = null
  #stage: "waiting" | "error" | "whole" | "stream" | "over" = "waiting"
  #status = 0
  #buffered: Buffer[] = []
  #bufferedBytes = 0
  #characters = 0
  #tokens: Tokens | null = null
  #finishReason: string | null = null
  #streamError: MessageError | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  cited(cited: Cited): void {
    this.#deps.cited?.(cited)
  }

  follow(flow: Flow): void {
    if (this.#stage === "over") flow.cancel()
    this.#handle = flow
  }

  chosen(upstream: Upstream): void {
    this.#upstream = upstream
    this.#deps.meter.sentTo(upstream.config.id, upstream.config.kind)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    const type = headerOf(rawHeaders, "content-type") ?? ""
    this.#status = status
    if (status < 200 || status > 299) this.#stage = "error"
    else if (type.startsWith("text/event-stream")) this.#stage = "stream"
    else if (type === "" || type.includes("json")) this.#stage = "whole"
    else
      this.#fail(
        this.#upstreamFailure(`responded with ${type.slice(0, 100)} instead of an answer.`),
      )
  }

  data(chunk: Buffer): boolean {
    if (this.#stage === "stream") this.#stream(chunk)
    else if (this.#stage !== "over") this.#buffer(chunk)
    return true
  }

  end(): void {
    if (this.#stage === "error") this.#finishWithError()
    else if (this.#stage === "whole") this.#readWhole()
    else if (this.#stage === "stream") this.#endStream()
  }

  broke(error: UpstreamError): void {
    if (this.#stage === "error") this.#finishWithError()
    else if (this.#stage === "over") return
    else this.#fail(failureOf(error, this.#upstream))
  }

  stop(outcome: Outcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#handle?.cancel()
    this.#finish(outcome, failure ? ofFailure(failure) : null, failure)
  }

  #stream(chunk: Buffer): void {
    this.#scanner.pass(chunk)
    this.#take(this.#reader.read(chunk))
  }

  #take({ content, reasoning, finish_reason, error, sources }: Delta): void {
    if (sources !== null) this.#deps.told?.(sources)
    this.#finishReason = finish_reason ?? this.#finishReason
    if (error) this.#streamError ??= ofProvider(error, null, this.#upstream)
    const parts = this.#splitter.split(content)
    this.#add({ content: parts.content, reasoning: reasoning + parts.reasoning })
  }

  #add(parts: { content: string; reasoning: string }): void {
    const content = withoutNul(parts.content)
    const reasoning = withoutNul(parts.reasoning)
    if (content === "" && reasoning === "") return
    this.#deps.meter.firstToken()
    this.#characters += content.length + reasoning.length
    this.#deps.grew({ content, reasoning })
    if (this.#characters <= maxCharacters || this.#stage === "over") return
    this.#handle?.cancel()
    this.#fail(
      this.#upstreamFailure("sent more than the maximum of 4 MB. The partial answer was saved."),
    )
  }

  #buffer(chunk: Buffer): void {
    this.#bufferedBytes += chunk.length
    if (this.#stage !== "error" && this.#bufferedBytes > maxWholeBytes) {
      throw new UnreadableReply(`it exceeds ${maxWholeBytes / 1e6} MB`)
    }
    this.#buffered.push(chunk)
    // Error bodies longer than this are truncated.
    if (this.#stage !== "error" || this.#bufferedBytes <= maxErrorBytes) return
    this.#handle?.cancel()
    this.#finishWithError()
  }

  #finishWithError(): void {
    const body = Buffer.concat(this.#buffered)
    const error = wholeError(this.#status, body, this.#upstream)
    if (error instanceof Failure) {
      this.#fail(error)
      return
    }
    const { status } = error
    this.#finish(
      outcomeOfErrorStatus(status),
      ofProvider(error.body.toString("utf8"), status, this.#upstream),
    )
  }

  #readWhole(): void {
    const text = Buffer.concat(this.#buffered).toString("utf8")
    try {
      const body: unknown = JSON.parse(text)
      this.#tokens = countedTokens(isObject(body) ? body.usage : null)
      this.#take(deltaOf(body))
      this.#settleText()
    } catch {
      this.#fail(this.#upstreamFailure("sent a response that is not a completion."))
    }
  }

  #endStream(): void {
    this.#take(this.#reader.end())
    this.#tokens = this.#scanner.tokens
    if (this.#streamError || this.#scanner.ended || this.#finishReason) this.#settleText()
    else this.#fail(this.#upstreamFailure("ended its response prematurely."))
  }

  #settleText(): void {
    if (this.#streamError) this.#finish("upstream_error", this.#streamError)
    else this.#finish("ok", null)
  }

  #upstreamFailure(what: string): Failure {
    const name = this.#upstream?.config.name
    return new Failure("upstream_broken", `The provider "${name}" ${what}`)
  }

  #fail(failure: Failure): void {
    this.#handle?.cancel()
    this.#finish("upstream_error", this.#streamError ?? ofFailure(failure), failure)
  }

  #finish(outcome: Outcome, error: MessageError | null, failure?: Failure): void {
    if (this.#stage === "over") return
    const rest = this.#splitter.end()
    this.#stage = "over"
    this.#add(rest)
    const tokens = this.#tokens ?? this.#scanner.tokens
    const pieces = this.#scanner.events
    const status = failure && this.#status === 0 ? failure.status : this.#status
    this.#deps.meter.settle({ outcome, status, tokens, piecesOut: pieces })
    const finish_reason = withoutNul(this.#finishReason ?? "").slice(0, 100) || null
    this.#deps.over({ outcome, error, finish_reason, tokens, pieces, failure })
  }
}

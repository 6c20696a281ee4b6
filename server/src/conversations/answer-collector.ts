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
  /** How the usage record says it. */
  outcome: Outcome
  error: MessageError | null
  finish_reason: string | null
  tokens: Tokens | null
  /** About one a token; for an estimate. */
  pieces: number
  failure: Failure | undefined
}

interface Deps {
  meter: Meter
  /** Told what is new of the answer. */
  grew: (parts: { content: string; reasoning: string }) => void
  /** Told before all else, where the answer rests on files. */
  cited?: (cited: Cited) => void
  /** Told where whoever answers says itself what the answer rests on; as it came. */
  told?: (sources: unknown) => void
  /** Told once, when nothing more will come. */
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
    message: `${name} reported an error`,
    code: "upstream_error",
  }
  const message = said.message.slice(0, maxRawCharacters)
  return { ...said, message, status, raw: raw.slice(0, maxRawCharacters) }
}

const withoutNul = (text: string): string => text.replaceAll("\u0000", "")

/** Hears one upstream reply for a chat: text piece by piece, and at its end how it went. */
export class Collector implements Hearing {
  readonly #needs: Deps
  readonly #frames = new Frames(chatEndings, false)
  readonly #reader = createDeltaReader()
  readonly #splitter = createThinkingSplitter()
  #flow: Flow | null = null
  #upstream: Upstream | null = null
  #stage: "waiting" | "error" | "whole" | "stream" | "over" = "waiting"
  #status = 0
  #kept: Buffer[] = []
  #keptBytes = 0
  #characters = 0
  #tokens: Tokens | null = null
  #finishReason: string | null = null
  #inBand: MessageError | null = null

  constructor(deps: Deps) {
    this.#needs = deps
  }

  cited(cited: Cited): void {
    this.#needs.cited?.(cited)
  }

  follow(flow: Flow): void {
    if (this.#stage === "over") flow.cancel()
    this.#flow = flow
  }

  chosen(upstream: Upstream): void {
    this.#upstream = upstream
    this.#needs.meter.sentTo(upstream.config.id, upstream.config.kind)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    const type = headerOf(rawHeaders, "content-type") ?? ""
    this.#status = status
    if (status < 200 || status > 299) this.#stage = "error"
    else if (type.startsWith("text/event-stream")) this.#stage = "stream"
    else if (type === "" || type.includes("json")) this.#stage = "whole"
    else this.#breakOff(this.#broken(`answered with ${type.slice(0, 100)} in place of an answer`))
  }

  data(chunk: Buffer): boolean {
    if (this.#stage === "stream") this.#stream(chunk)
    else if (this.#stage !== "over") this.#keep(chunk)
    return true
  }

  end(): void {
    if (this.#stage === "error") this.#refused()
    else if (this.#stage === "whole") this.#readWhole()
    else if (this.#stage === "stream") this.#streamEnds()
  }

  broke(error: UpstreamError): void {
    if (this.#stage === "error") this.#refused()
    else if (this.#stage === "over") return
    else this.#breakOff(failureOf(error, this.#upstream))
  }

  stop(outcome: Outcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#flow?.cancel()
    this.#finish(outcome, failure ? ofFailure(failure) : null, failure)
  }

  #stream(chunk: Buffer): void {
    this.#frames.pass(chunk)
    this.#take(this.#reader.read(chunk))
  }

  #take({ content, reasoning, finish_reason, error, sources }: Delta): void {
    if (sources !== null) this.#needs.told?.(sources)
    this.#finishReason = finish_reason ?? this.#finishReason
    if (error) this.#inBand ??= ofProvider(error, null, this.#upstream)
    const parts = this.#splitter.split(content)
    this.#add({ content: parts.content, reasoning: reasoning + parts.reasoning })
  }

  #add(parts: { content: string; reasoning: string }): void {
    const content = withoutNul(parts.content)
    const reasoning = withoutNul(parts.reasoning)
    if (content === "" && reasoning === "") return
    this.#needs.meter.firstToken()
    this.#characters += content.length + reasoning.length
    this.#needs.grew({ content, reasoning })
    if (this.#characters <= maxCharacters || this.#stage === "over") return
    this.#flow?.cancel()
    this.#breakOff(this.#broken("goes on without end; what is more than 4 MB was not kept"))
  }

  #keep(chunk: Buffer): void {
    this.#keptBytes += chunk.length
    if (this.#stage !== "error" && this.#keptBytes > maxWholeBytes) {
      throw new UnreadableReply(`it is longer than ${maxWholeBytes / 1e6} MB`)
    }
    this.#kept.push(chunk)
    // Nobody reads an error as long as that.
    if (this.#stage !== "error" || this.#keptBytes <= maxErrorBytes) return
    this.#flow?.cancel()
    this.#refused()
  }

  #refused(): void {
    const body = Buffer.concat(this.#kept)
    const error = wholeError(this.#status, body, this.#upstream)
    if (error instanceof Failure) {
      this.#breakOff(error)
      return
    }
    const { status } = error
    this.#finish(
      outcomeOfErrorStatus(status),
      ofProvider(error.body.toString("utf8"), status, this.#upstream),
    )
  }

  #readWhole(): void {
    const text = Buffer.concat(this.#kept).toString("utf8")
    try {
      const body: unknown = JSON.parse(text)
      this.#tokens = countedTokens(isObject(body) ? body.usage : null)
      this.#take(deltaOf(body))
      this.#settleText()
    } catch {
      this.#breakOff(this.#broken("answered with something that is no completion"))
    }
  }

  #streamEnds(): void {
    this.#take(this.#reader.end())
    this.#tokens = this.#frames.tokens
    if (this.#inBand || this.#frames.ended || this.#finishReason) this.#settleText()
    else this.#breakOff(this.#broken("ended its reply before it was whole"))
  }

  #settleText(): void {
    if (this.#inBand) this.#finish("upstream_error", this.#inBand)
    else this.#finish("ok", null)
  }

  #broken(what: string): Failure {
    const name = this.#upstream?.config.name
    return new Failure("upstream_broken", `The provider "${name}" ${what}`)
  }

  #breakOff(failure: Failure): void {
    this.#flow?.cancel()
    this.#finish("upstream_error", this.#inBand ?? ofFailure(failure), failure)
  }

  #finish(outcome: Outcome, error: MessageError | null, failure?: Failure): void {
    if (this.#stage === "over") return
    const rest = this.#splitter.end()
    this.#stage = "over"
    this.#add(rest)
    const tokens = this.#tokens ?? this.#frames.tokens
    const pieces = this.#frames.events
    const status = failure && this.#status === 0 ? failure.status : this.#status
    this.#needs.meter.settle({ outcome, status, tokens, piecesOut: pieces })
    const finish_reason = withoutNul(this.#finishReason ?? "").slice(0, 100) || null
    this.#needs.over({ outcome, error, finish_reason, tokens, pieces, failure })
  }
}

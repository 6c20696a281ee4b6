import type { ResponseConsumer } from "../completions/dispatch.ts"
import { chatEndMarkers, SseScanner } from "../completions/sse-scanner.ts"
import { toErrorReply } from "../completions/upstream-response.ts"
import type { Upstream } from "../connections/connection.ts"
import { upstreamFailure } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"
import { readErrorBody } from "../formats/error-body.ts"
import { isObject } from "../formats/json-values.ts"
import type { AnswerSources } from "../knowledge/citations.ts"
import type { RequestHandle } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import { MalformedResponse, type UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { RequestOutcome, TokenCounts } from "../usage/schema.ts"
import { parseTokenCounts } from "../usage/token-counts.ts"
import type { UsageRecorder } from "../usage/usage-recorder.ts"
import { type AnswerDelta, createDeltaReader, parseDelta } from "./chat-delta.ts"
import type { MessageError } from "./schema.ts"
import { createThinkingSplitter } from "./thinking-splitter.ts"

const maxErrorBytes = 64 * 1024
const maxResponseBytes = 16_000_000
const maxCharacters = 4_000_000
const maxRawCharacters = 4000

export interface CollectedAnswer {
  /** As stored in the usage record. */
  outcome: RequestOutcome
  error: MessageError | null
  finish_reason: string | null
  tokens: TokenCounts | null
  /** Content chunks received, about one per token; used for an estimate. */
  chunks: number
  failure: Failure | undefined
}

interface Deps {
  usageRecorder: UsageRecorder
  /** Called with text that was added to the answer. */
  onText: (parts: { content: string; reasoning: string }) => void
  /** Called before anything else if the answer is based on files. */
  onCitations?: (cited: AnswerSources) => void
  /** Called with the sources that a function or provider reports itself, unparsed. */
  onReportedSources?: (sources: unknown) => void
  /** Called exactly once, when the response has ended. */
  onDone: (collected: CollectedAnswer) => void
}

const toMessageError = ({ code, message }: Failure): MessageError => ({
  code,
  message,
  status: null,
  raw: null,
})

const toProviderError = (raw: string, status: number | null, upstream: Upstream | null) => {
  const name = upstream ? `The provider "${upstream.config.name}"` : "The provider"
  const parsed = readErrorBody(raw) ?? {
    message: `${name} reported an error.`,
    code: "upstream_error",
  }
  const message = parsed.message.slice(0, maxRawCharacters)
  return { ...parsed, message, status, raw: raw.slice(0, maxRawCharacters) }
}

const withoutNul = (text: string): string => text.replaceAll("\u0000", "")

/** Consumes an upstream's response for a chat: passes on its text, and at the end the outcome. */
export class AnswerCollector implements ResponseConsumer {
  readonly #deps: Deps
  readonly #scanner = new SseScanner(chatEndMarkers, false)
  readonly #reader = createDeltaReader()
  readonly #splitter = createThinkingSplitter()
  #handle: RequestHandle | null = null
  #upstream: Upstream | null = null
  #stage: "waiting" | "error" | "whole" | "stream" | "over" = "waiting"
  #status = 0
  #buffered: Buffer[] = []
  #bufferedBytes = 0
  #characters = 0
  #tokens: TokenCounts | null = null
  #finishReason: string | null = null
  #streamError: MessageError | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  setCitations(cited: AnswerSources): void {
    this.#deps.onCitations?.(cited)
  }

  attach(handle: RequestHandle): void {
    if (this.#stage === "over") handle.cancel()
    this.#handle = handle
  }

  onConnectionSelected(upstream: Upstream): void {
    this.#upstream = upstream
    this.#deps.usageRecorder.setTarget(upstream.config.id, upstream.config.kind)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
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

  onData(chunk: Buffer): boolean {
    if (this.#stage === "stream") this.#stream(chunk)
    else if (this.#stage !== "over") this.#buffer(chunk)
    return true
  }

  onEnd(): void {
    if (this.#stage === "error") this.#finishWithError()
    else if (this.#stage === "whole") this.#readWhole()
    else if (this.#stage === "stream") this.#endStream()
  }

  onError(error: UpstreamError): void {
    if (this.#stage === "error") this.#finishWithError()
    else if (this.#stage === "over") return
    else this.#fail(upstreamFailure(error, this.#upstream))
  }

  stop(outcome: RequestOutcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#handle?.cancel()
    this.#finish(outcome, failure ? toMessageError(failure) : null, failure)
  }

  #stream(chunk: Buffer): void {
    this.#scanner.push(chunk)
    this.#take(this.#reader.read(chunk))
  }

  #take({ content, reasoning, finish_reason, error, sources }: AnswerDelta): void {
    if (sources !== null) this.#deps.onReportedSources?.(sources)
    this.#finishReason = finish_reason ?? this.#finishReason
    if (error) this.#streamError ??= toProviderError(error, null, this.#upstream)
    const parts = this.#splitter.split(content)
    this.#add({ content: parts.content, reasoning: reasoning + parts.reasoning })
  }

  #add(parts: { content: string; reasoning: string }): void {
    const content = withoutNul(parts.content)
    const reasoning = withoutNul(parts.reasoning)
    if (content === "" && reasoning === "") return
    this.#deps.usageRecorder.markFirstToken()
    this.#characters += content.length + reasoning.length
    this.#deps.onText({ content, reasoning })
    if (this.#characters <= maxCharacters || this.#stage === "over") return
    this.#handle?.cancel()
    this.#fail(
      this.#upstreamFailure("sent more than the maximum of 4 MB. The partial answer was saved."),
    )
  }

  #buffer(chunk: Buffer): void {
    this.#bufferedBytes += chunk.length
    if (this.#stage !== "error" && this.#bufferedBytes > maxResponseBytes) {
      throw new MalformedResponse(`it exceeds ${maxResponseBytes / 1e6} MB`)
    }
    this.#buffered.push(chunk)
    // Error bodies longer than this are truncated.
    if (this.#stage !== "error" || this.#bufferedBytes <= maxErrorBytes) return
    this.#handle?.cancel()
    this.#finishWithError()
  }

  #finishWithError(): void {
    const body = Buffer.concat(this.#buffered)
    const error = toErrorReply(this.#status, body, this.#upstream)
    if (error instanceof Failure) {
      this.#fail(error)
      return
    }
    const { status } = error
    this.#finish(
      outcomeOfErrorStatus(status),
      toProviderError(error.body.toString("utf8"), status, this.#upstream),
    )
  }

  #readWhole(): void {
    const text = Buffer.concat(this.#buffered).toString("utf8")
    try {
      const body: unknown = JSON.parse(text)
      this.#tokens = parseTokenCounts(isObject(body) ? body.usage : null)
      this.#take(parseDelta(body))
      this.#settleText()
    } catch {
      this.#fail(this.#upstreamFailure("sent a response that is not a completion."))
    }
  }

  #endStream(): void {
    this.#take(this.#reader.end())
    this.#tokens = this.#scanner.tokens
    if (this.#streamError || this.#scanner.hasTerminator || this.#finishReason) this.#settleText()
    else this.#fail(this.#upstreamFailure("ended its response prematurely."))
  }

  #settleText(): void {
    if (this.#streamError) this.#finish("upstream_error", this.#streamError)
    else this.#finish("ok", null)
  }

  #upstreamFailure(description: string): Failure {
    const name = this.#upstream?.config.name
    return new Failure("upstream_broken", `The provider "${name}" ${description}`)
  }

  #fail(failure: Failure): void {
    this.#handle?.cancel()
    this.#finish("upstream_error", this.#streamError ?? toMessageError(failure), failure)
  }

  #finish(outcome: RequestOutcome, error: MessageError | null, failure?: Failure): void {
    if (this.#stage === "over") return
    const rest = this.#splitter.end()
    this.#stage = "over"
    this.#add(rest)
    const tokens = this.#tokens ?? this.#scanner.tokens
    const chunks = this.#scanner.eventCount
    const status = failure && this.#status === 0 ? failure.status : this.#status
    this.#deps.usageRecorder.settle({ outcome, status, tokens, chunksOut: chunks })
    const finish_reason = withoutNul(this.#finishReason ?? "").slice(0, 100) || null
    this.#deps.onDone({ outcome, error, finish_reason, tokens, chunks, failure })
  }
}

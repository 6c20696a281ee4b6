import type { ProviderErrorReply } from "../../completions/response/provider-error-reply.ts"
import type {
  ResponseConsumer,
  ResponseHead,
  ResponseResult,
} from "../../completions/response/response-consumer.ts"
import type { Failure } from "../../errors.ts"
import { readErrorBody } from "../../formats/error-body.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import { type TranslatableMessage, toReference, toText, translatable } from "../../i18n/message.ts"
import type { AnswerSources } from "../../knowledge/citations/source-finder.ts"
import { type AnswerDelta, createDeltaReader, parseDelta } from "../events/answer-delta.ts"
import type { MessageError } from "../schema.ts"
import { createThinkingSplitter } from "./thinking-splitter.ts"

const maxCharacters = 4_000_000
const maxRawCharacters = 4000

export interface CollectedAnswer extends Omit<ResponseResult, "status"> {
  error: MessageError | null
  finish_reason: string | null
}

interface Deps {
  /** Called with text that was added to the answer. */
  onText: (parts: { content: string; reasoning: string }) => void
  /** Called before anything else if the answer is based on files. */
  onCitations?: (cited: AnswerSources) => void
  /** Called with the sources that a function or provider reports itself, unparsed. */
  onReportedSources?: (sources: unknown) => void
  /** Called exactly once, when the response has ended. */
  onDone: (collected: CollectedAnswer) => void
}

/** Receives the parts of an answer while it is generated. */
export type AnswerCallbacks = Omit<Deps, "onDone">

export const toMessageError = ({ code, message, reference }: Failure): MessageError => ({
  code,
  message,
  ...reference,
  status: null,
  raw: null,
})

const unknownError = translatable("provider_error")

const toProviderError = (
  raw: string,
  status: number | null,
  own: TranslatableMessage | null = null,
): MessageError => {
  const reported = readErrorBody(raw)
  const message = own ?? reported?.message ?? unknownError
  return {
    code: reported?.code ?? "upstream_error",
    message: toText(message).slice(0, maxRawCharacters),
    ...toReference(message),
    status,
    raw: raw.slice(0, maxRawCharacters),
  }
}

const withoutNul = (text: string): string => text.replaceAll("\u0000", "")

const parseCompletion = (body: Buffer): AnswerDelta => {
  try {
    return parseDelta(JSON.parse(body.toString("utf8")))
  } catch {
    throw new MalformedResponse(translatable("not_a_completion"))
  }
}

/** Collects a response for a chat: passes on its text, and at the end the outcome. */
export class AnswerCollector implements ResponseConsumer {
  readonly #deps: Deps
  readonly #reader = createDeltaReader()
  readonly #splitter = createThinkingSplitter()
  #characters = 0
  #finishReason: string | null = null
  #error: MessageError | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  setCitations(cited: AnswerSources): void {
    this.#deps.onCitations?.(cited)
  }

  onStart(_head: ResponseHead): void {}

  onChunk(bytes: Buffer): boolean {
    this.#take(this.#reader.read(bytes))
    return true
  }

  onEnd(): void {
    this.#take(this.#reader.end())
  }

  onBody(body: Buffer): void {
    this.#take(parseCompletion(body))
  }

  onErrorReply({ status, body, message }: ProviderErrorReply): void {
    this.#error = toProviderError(body.toString("utf8"), status, message)
  }

  /** An error that the provider reported itself says more. */
  onFailure(failure: Failure): void {
    this.#error ??= toMessageError(failure)
  }

  onDone({ outcome, tokens, chunks, failure }: ResponseResult): void {
    this.#pass(this.#splitter.end())
    const finish_reason = withoutNul(this.#finishReason ?? "").slice(0, 100) || null
    this.#deps.onDone({ outcome, tokens, chunks, failure, error: this.#error, finish_reason })
  }

  #take({ content, reasoning, finish_reason, error, sources }: AnswerDelta): void {
    if (sources !== null) this.#deps.onReportedSources?.(sources)
    this.#finishReason = finish_reason ?? this.#finishReason
    if (error) this.#error ??= toProviderError(error, null)
    const parts = this.#splitter.split(content)
    this.#add({ content: parts.content, reasoning: reasoning + parts.reasoning })
  }

  /** @throws {MalformedResponse} if the answer is too long; its text so far was passed on */
  #add(parts: { content: string; reasoning: string }): void {
    this.#pass(parts)
    this.#characters += parts.content.length + parts.reasoning.length
    if (this.#characters > maxCharacters)
      throw new MalformedResponse(translatable("answer_too_long"))
  }

  #pass(parts: { content: string; reasoning: string }): void {
    const content = withoutNul(parts.content)
    const reasoning = withoutNul(parts.reasoning)
    if (content !== "" || reasoning !== "") this.#deps.onText({ content, reasoning })
  }
}

import { ChunkDecoder } from "../../formats/chunk-decoder.ts"
import { isObject, textOf } from "../../formats/json-values.ts"
import type { Chunk } from "../../formats/response-converter.ts"

/** What one or more stream events add to an answer. */
export interface AnswerDelta {
  content: string
  reasoning: string
  finish_reason: string | null
  /** The provider's error event, as received. */
  error: string | null
  /** The sources reported by a function or provider, unparsed. */
  sources: unknown
}

/** The text of a message content: a string, or an array of parts some of which are text. */
const contentOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part) => (isObject(part) ? textOf(part.text) : "")).join("")
    : textOf(content)

/** The field's name differs by provider; none sends more than one. */
const reasoningOf = (message: Record<string, unknown>): string =>
  textOf(message.reasoning_content) || textOf(message.reasoning) || textOf(message.thinking)

const emptyDelta: AnswerDelta = {
  content: "",
  reasoning: "",
  finish_reason: null,
  error: null,
  sources: null,
}

/** Reads a stream chunk or a complete completion; its first choice is the answer. */
export const parseDelta = (data: unknown): AnswerDelta => {
  if (!isObject(data)) return emptyDelta
  if (isObject(data.error) || typeof data.error === "string") {
    return { ...emptyDelta, error: JSON.stringify({ error: data.error }) }
  }
  const sources = data.sources ?? null
  const [choice] = Array.isArray(data.choices) ? data.choices : []
  if (!isObject(choice)) return { ...emptyDelta, sources }
  const message = isObject(choice.delta) ? choice.delta : choice.message
  const finish_reason = textOf(choice.finish_reason) || null
  if (!isObject(message)) return { ...emptyDelta, finish_reason, sources }
  return {
    sources,
    content: contentOf(message.content) || textOf(message.refusal),
    reasoning: reasoningOf(message),
    finish_reason,
    error: null,
  }
}

const addDelta = (sum: AnswerDelta, next: AnswerDelta): AnswerDelta => ({
  content: sum.content + next.content,
  reasoning: sum.reasoning + next.reasoning,
  finish_reason: next.finish_reason ?? sum.finish_reason,
  error: sum.error ?? next.error,
  sources: sum.sources ?? next.sources,
})

const combineDeltas = (chunks: readonly Chunk[]): AnswerDelta =>
  chunks.map(parseDelta).reduce(addDelta, emptyDelta)

/** Decodes a byte stream of server-sent events into deltas. */
export const createDeltaReader = () => {
  const decoder = new ChunkDecoder()
  return {
    read: (chunk: Buffer): AnswerDelta => combineDeltas(decoder.push(chunk)),
    /** Includes a last event without its blank line. */
    end: (): AnswerDelta => combineDeltas(decoder.end()),
  }
}

import {
  type CompletionUsage,
  createCompletionFormatter,
  toCompletionUsage,
} from "../formats/chat-completion.ts"
import { type Fields, isObject, objectOf, textOf } from "../formats/json-values.ts"
import type { Chunk } from "../formats/response-converter.ts"

const charactersPerToken = 4

const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken)

const numberOf = (value: unknown): number =>
  typeof value === "number" && value >= 0 && Number.isFinite(value) ? Math.round(value) : 0

/** Token counts reported by a function, with missing fields filled in. */
const countsOf = (usage: Fields): CompletionUsage => ({
  ...usage,
  ...toCompletionUsage(numberOf(usage.prompt_tokens), numberOf(usage.completion_tokens)),
})

const deltaNames = ["role", "content", "reasoning_content", "tool_calls", "refusal"] as const
const completionFields = ["finish_reason", "usage", "sources"] as const

/** Converts the pieces that a function yields to OpenAI API format, streamed or not. */
export const createCompletionBuilder = ({ model, prompt }: { model: string; prompt: string }) => {
  const formatter = createCompletionFormatter(model)
  let isStarted = false
  let outputText = ""
  let usage: CompletionUsage | null = null
  let finishReason: string | null = null
  const message: Fields = { content: "" }
  const extraFields: Fields = {}

  /** The piece reduced to the fields that a delta may have. */
  const deltaOf = (piece: Fields): Fields => {
    const delta: Fields = {}
    for (const name of deltaNames) if (piece[name] !== undefined) delta[name] = piece[name]
    return delta
  }

  const accumulate = (delta: Fields): void => {
    const content = textOf(delta.content)
    message.content = textOf(message.content) + content
    outputText += content + textOf(delta.reasoning_content)
    if (delta.reasoning_content !== undefined) {
      message.reasoning_content =
        textOf(message.reasoning_content) + textOf(delta.reasoning_content)
    }
    if (Array.isArray(delta.tool_calls)) {
      const before = Array.isArray(message.tool_calls) ? message.tool_calls : []
      message.tool_calls = [...before, ...delta.tool_calls]
      finishReason ??= "tool_calls"
    }
  }

  const recordMetadata = (piece: Fields): void => {
    if (isObject(piece.usage)) usage = countsOf(piece.usage)
    if (typeof piece.finish_reason === "string") finishReason = piece.finish_reason
    if (Array.isArray(piece.sources)) extraFields.sources = piece.sources
  }

  const addPiece = (piece: unknown): Fields[] => {
    const fields = isObject(piece) ? piece : { content: String(piece) }
    recordMetadata(fields)
    const delta = deltaOf(fields)
    const role = isStarted ? {} : { role: "assistant" }
    const hasDelta = Object.keys(delta).length > 0
    if (hasDelta) isStarted = true
    accumulate(delta)
    const { sources } = fields
    const chunks = Array.isArray(sources) ? [formatter.chunk({ sources })] : []
    if (hasDelta) chunks.push(formatter.deltaChunk({ ...role, ...delta }))
    return chunks
  }

  const estimated = (): CompletionUsage => toCompletionUsage(tokensIn(prompt), tokensIn(outputText))

  /** Merges adjacent strings, so that they are sent as one chunk. */
  const joined = (pieces: readonly unknown[]): unknown[] => {
    const out: unknown[] = []
    for (const piece of pieces) {
      const last = out.at(-1)
      if (typeof piece === "string" && typeof last === "string") out[out.length - 1] = last + piece
      else out.push(piece)
    }
    return out
  }

  return {
    /** True when the gateway estimated the token counts because the function reported none. */
    isEstimate: (): boolean => usage === null,

    /** @returns the chunks of a stream */
    add: (pieces: readonly unknown[]): Fields[] => joined(pieces).flatMap(addPiece),

    /** Takes over a complete completion object returned by a function. */
    addCompletion: (completion: Fields): Fields[] => {
      const { choices, ...rest } = completion
      const [first] = Array.isArray(choices) ? choices : []
      const own = objectOf(first?.message)
      const finish_reason = first?.finish_reason ?? undefined
      return addPiece({
        ...own,
        ...pick(rest, completionFields),
        ...(finish_reason && { finish_reason }),
      })
    },

    /** The final chunks of a stream. */
    finalChunks: (): Chunk[] => [
      ...(isStarted ? [] : [formatter.deltaChunk({ role: "assistant", content: "" })]),
      formatter.deltaChunk({}, finishReason ?? "stop"),
      formatter.chunk({ usage: usage ?? estimated() }),
      null,
    ],

    completionJson: (): string =>
      JSON.stringify(
        formatter.completion(message, finishReason ?? "stop", {
          ...extraFields,
          usage: usage ?? estimated(),
        }),
      ),
  }
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))

export type CompletionBuilder = ReturnType<typeof createCompletionBuilder>

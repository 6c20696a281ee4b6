import { toAnnotations } from "../annotations.ts"
import type { ReportDropped } from "../canonical-request.ts"
import { createCompletionFormatter, toCompletionUsage } from "../chat-completion.ts"
import { toFinishReason } from "../finish-reason.ts"
import { type Fields, isObject, numberOf, objectOf, objectsIn, textOf } from "../json-values.ts"
import { decodeThinking } from "./decode-thinking.ts"

/** Null if the message did not end with a refusal that explains itself. */
export const refusalOfMessage = ({ stop_reason, stop_details }: Fields): string | null =>
  stop_reason === "refusal" && isObject(stop_details)
    ? textOf(stop_details.explanation) || null
    : null

export const finishReasonOf = ({ stop_reason }: Fields): string =>
  toFinishReason(textOf(stop_reason), stop_reason === "tool_use")

/** Which stop sequence ended an answer: a member of the whole completion or of its last chunk. */
export const stopSequenceOf = ({ stop_sequence }: Fields): Fields =>
  typeof stop_sequence === "string" ? { stop_sequence } : {}

const promptTokensOf = (usage: Fields): number =>
  numberOf(usage.input_tokens) +
  numberOf(usage.cache_creation_input_tokens) +
  numberOf(usage.cache_read_input_tokens)

/** Input tokens that were read from or written to the cache are counted apart. */
export const decodeUsage = (usage: Fields): Fields => {
  const cached_tokens = numberOf(usage.cache_read_input_tokens)
  const cache_write_tokens = numberOf(usage.cache_creation_input_tokens)
  const { thinking_tokens } = objectOf(usage.output_tokens_details)
  return {
    ...toCompletionUsage(promptTokensOf(usage), numberOf(usage.output_tokens)),
    prompt_tokens_details: { cached_tokens, cache_write_tokens },
    ...(typeof thinking_tokens === "number" && {
      completion_tokens_details: { reasoning_tokens: thinking_tokens },
    }),
  }
}

const joinTexts = (blocks: readonly Fields[], type: string, member: string): string =>
  blocks.map((block) => (block.type === type ? textOf(block[member]) : "")).join("")

const annotationsOf = (blocks: readonly Fields[], reportDropped: ReportDropped): Fields[] => {
  let start = 0
  return blocks.flatMap(({ type, text, citations }) => {
    if (type !== "text") return []
    const end = start + textOf(text).length
    const range = { start, end }
    start = end
    return toAnnotations(citations, range, () => reportDropped("citations"))
  })
}

/** Converts a message of Anthropic's API to a chat completion; see `canonical-request.ts`. */
export const decodeMessage = (
  message: Fields,
  model: string,
  reportDropped: ReportDropped,
): Fields => {
  const blocks = objectsIn(message.content)
  const calls = blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }))
  const reasoning = joinTexts(blocks, "thinking", "thinking")
  const details = decodeThinking(blocks)
  const text = joinTexts(blocks, "text", "text")
  const annotations = annotationsOf(blocks, reportDropped)
  const refusal = refusalOfMessage(message)
  const answer = {
    content: text === "" && (calls.length > 0 || refusal !== null) ? null : text,
    ...(refusal !== null && { refusal }),
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const usage = decodeUsage(objectOf(message.usage))
  return createCompletionFormatter(textOf(message.model) || model, textOf(message.id)).completion(
    answer,
    finishReasonOf(message),
    { usage, ...stopSequenceOf(message) },
  )
}

/** @returns OpenAI's `error` object; null if the body is not an error of Anthropic's API */
export const decodeMessagesError = ({ error }: Fields): Fields | null => {
  if (!isObject(error)) return null
  const { type, message } = error
  return { message: textOf(message), type: textOf(type), param: null, code: textOf(type) }
}

import { createCompletionFormatter, toTokenCounts } from "../chat-completion.ts"
import { type Fields, isObject, numberOf, objectsIn, ownValue, textOf } from "../json-values.ts"
import { decodeThinking } from "./decode-thinking.ts"

const finishReasons: Record<string, string> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
}

/** Which stop sequence ended an answer: a member of the whole completion or of its last chunk. */
const stopSequenceOf = ({ stop_sequence }: Fields): Fields =>
  typeof stop_sequence === "string" ? { stop_sequence } : {}

const toFinishReason = (reason: unknown): string => ownValue(finishReasons, reason) ?? "stop"

/** Input tokens that were read from or written to the cache are counted apart. */
const toUsage = (usage: Fields): Fields => {
  const cached_tokens = numberOf(usage.cache_read_input_tokens)
  const cache_write_tokens = numberOf(usage.cache_creation_input_tokens)
  const prompt_tokens = numberOf(usage.input_tokens) + cache_write_tokens + cached_tokens
  return {
    ...toTokenCounts(prompt_tokens, numberOf(usage.output_tokens)),
    prompt_tokens_details: { cached_tokens, cache_write_tokens },
  }
}

const joinTexts = (blocks: readonly Fields[], type: string, member: string): string =>
  blocks.map((block) => (block.type === type ? textOf(block[member]) : "")).join("")

/** Converts a message of Anthropic's API to a chat completion; see `canonical-request.ts`. */
export const decodeMessage = (message: Fields, model: string): Fields => {
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
  const answer = {
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const usage = toUsage(isObject(message.usage) ? message.usage : {})
  return createCompletionFormatter(textOf(message.model) || model, textOf(message.id)).completion(
    answer,
    toFinishReason(message.stop_reason),
    { usage, ...stopSequenceOf(message) },
  )
}

/** @returns OpenAI's `error` object; null if the body is not an error of Anthropic's API */
export const decodeMessagesError = ({ error }: Fields): Fields | null => {
  if (!isObject(error)) return null
  const { type, message } = error
  return { message: textOf(message), type: textOf(type), param: null, code: textOf(type) }
}

/** Converts the events of a stream to chunks of a chat completion; null ends the stream. */
export const createMessageStreamDecoder = (model: string) => {
  let formatter = createCompletionFormatter(model)
  let usage: Fields = {}
  let stopSequence: Fields = {}
  /** Number of the current tool call; its arguments arrive in pieces. */
  let call = -1
  /** The arguments with which the current call started; null if others arrived. */
  let startInput: unknown = null

  const argumentsChunk = (text: string): Fields => {
    startInput = null
    return formatter.deltaChunk({ tool_calls: [{ index: call, function: { arguments: text } }] })
  }
  const detailsChunk = (detail: Fields): Fields =>
    formatter.deltaChunk({ reasoning_details: [detail] })
  const mergeUsage = (reported: unknown): void => {
    const counts = Object.entries(isObject(reported) ? reported : {})
    usage = { ...usage, ...Object.fromEntries(counts.filter(([, value]) => value !== null)) }
  }
  const startBlock = ({ type, id, name, input, data }: Fields): Fields[] => {
    if (type === "redacted_thinking") return [detailsChunk({ type: "reasoning.encrypted", data })]
    if (type !== "tool_use") return []
    call++
    startInput = input ?? {}
    const started = { index: call, id, type: "function", function: { name, arguments: "" } }
    return [formatter.deltaChunk({ tool_calls: [started] })]
  }
  const deltas: Record<string, (delta: Fields) => Fields[]> = {
    text_delta: ({ text }) => [formatter.deltaChunk({ content: text })],
    thinking_delta: ({ thinking }) => [formatter.deltaChunk({ reasoning_content: thinking })],
    signature_delta: ({ signature }) => [detailsChunk({ type: "reasoning.text", signature })],
    input_json_delta: ({ partial_json }) =>
      partial_json === "" ? [] : [argumentsChunk(textOf(partial_json))],
  }
  const decoders: Record<string, (event: Fields) => readonly (Fields | null)[]> = {
    message_start: ({ message }) => {
      const started = isObject(message) ? message : {}
      formatter = createCompletionFormatter(textOf(started.model) || model, textOf(started.id))
      mergeUsage(started.usage)
      return [formatter.deltaChunk({ role: "assistant", content: "" })]
    },
    content_block_start: ({ content_block }) =>
      startBlock(isObject(content_block) ? content_block : {}),
    content_block_delta: ({ delta }) =>
      isObject(delta) ? (ownValue(deltas, delta.type)?.(delta) ?? []) : [],
    // A tool without arguments sends no piece of them, and some servers send all at the start.
    content_block_stop: () =>
      startInput === null ? [] : [argumentsChunk(JSON.stringify(startInput))],
    message_delta: ({ delta, usage: reported }) => {
      mergeUsage(reported)
      const ended = isObject(delta) ? delta : {}
      stopSequence = stopSequenceOf(ended)
      return [formatter.deltaChunk({}, toFinishReason(ended.stop_reason))]
    },
    message_stop: () => [formatter.chunk({ usage: toUsage(usage), ...stopSequence }), null],
    error: (event) => [{ error: decodeMessagesError(event) }, null],
  }
  return (event: Fields): readonly (Fields | null)[] =>
    ownValue(decoders, event.type)?.(event) ?? []
}

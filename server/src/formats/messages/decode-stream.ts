import { toAnnotations } from "../annotations.ts"
import { AnswerMemory } from "../answer-memory.ts"
import type { AnswerReports } from "../answer-reports.ts"
import { createCompletionFormatter } from "../chat-completion.ts"
import { splitText } from "../json-pieces.ts"
import { type Fields, isObject, objectOf, ownValue, textOf } from "../json-values.ts"
import {
  decodeMessagesError,
  decodeUsage,
  finishReasonOf,
  refusalOfMessage,
  stopSequenceOf,
} from "./decode-response.ts"

/** Annotations in one chunk. */
const maxGroup = 100

/** Finds out which part of the answer's text each citation belongs to. */
const createCitationDecoder = (reportDropped: () => void) => {
  let characters = 0
  let start = 0
  let citations: unknown[] = []
  const held = new AnswerMemory()
  return {
    startBlock: (block: Fields): void => {
      start = characters
      citations = Array.isArray(block.citations) ? [...block.citations] : []
    },
    addText: (text: string): void => {
      characters += text.length
    },
    /** @throws {MalformedResponse} if there are too many */
    addCitation: (citation: unknown): void => {
      held.add(JSON.stringify(citation ?? null))
      citations.push(citation)
    },
    /** The annotations of the block that ends, in groups of which none is large. */
    endBlock: (): Fields[][] => {
      const found = toAnnotations(citations, { start, end: characters }, reportDropped)
      citations = []
      const groups = Array.from({ length: Math.ceil(found.length / maxGroup) }, (_, at) => at)
      return groups.map((at) => found.slice(at * maxGroup, (at + 1) * maxGroup))
    },
  }
}

const usageMembers = [
  ...["input_tokens", "output_tokens", "output_tokens_details"],
  ...["cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation"],
]

/** Converts the events of a stream to chunks of a chat completion; null ends the stream. */
export const createMessageStreamDecoder = (model: string, reports: AnswerReports) => {
  let formatter = createCompletionFormatter(model)
  const usage: Fields = {}
  let stopSequence: Fields = {}
  let hasEnded = false
  let isUsageSent = false
  /** Number of the current tool call; its arguments arrive in pieces. */
  let call = -1
  /** The arguments with which the current call started; null if others arrived. */
  let startInput: unknown = null
  // Too late for a header.
  const citations = createCitationDecoder(() => {})

  const argumentsChunks = (text: string): Fields[] => {
    startInput = null
    return splitText(text).map((piece) =>
      formatter.deltaChunk({ tool_calls: [{ index: call, function: { arguments: piece } }] }),
    )
  }
  const detailsChunk = (detail: Fields): Fields =>
    formatter.deltaChunk({ reasoning_details: [detail] })
  const textChunk = (content: string): Fields[] => {
    citations.addText(content)
    return splitText(content).map((piece) => formatter.deltaChunk({ content: piece }))
  }
  const mergeUsage = (reported: unknown): void => {
    const counts = objectOf(reported)
    for (const name of usageMembers) usage[name] = counts[name] ?? usage[name]
  }
  /** As soon as it is final: the stream may break off before its last event. */
  const usageChunk = (): Fields[] => {
    if (isUsageSent) return []
    isUsageSent = true
    reports.usage(usage)
    return [formatter.chunk({ usage: decodeUsage(usage), ...stopSequence })]
  }
  const startBlock = (block: Fields): Fields[] => {
    const { type, id, name, input, data, text } = block
    citations.startBlock(block)
    if (type === "redacted_thinking") return [detailsChunk({ type: "reasoning.encrypted", data })]
    if (type === "text" && textOf(text) !== "") return textChunk(textOf(text))
    if (type !== "tool_use") return []
    call++
    startInput = input ?? {}
    const started = { index: call, id, type: "function", function: { name, arguments: "" } }
    return [formatter.deltaChunk({ tool_calls: [started] })]
  }
  const endBlock = (): Fields[] => {
    const cited = citations.endBlock().map((annotations) => formatter.deltaChunk({ annotations }))
    // A tool without arguments sends no piece of them, and some servers send all at the start.
    const called = startInput === null ? [] : argumentsChunks(JSON.stringify(startInput))
    return [...cited, ...called]
  }
  const deltas: Record<string, (delta: Fields) => Fields[]> = {
    text_delta: ({ text }) => textChunk(textOf(text)),
    citations_delta: ({ citation }) => {
      citations.addCitation(citation)
      return []
    },
    thinking_delta: ({ thinking }) =>
      splitText(textOf(thinking)).map((piece) =>
        formatter.deltaChunk({ reasoning_content: piece }),
      ),
    signature_delta: ({ signature }) => [detailsChunk({ type: "reasoning.text", signature })],
    input_json_delta: ({ partial_json }) =>
      partial_json === "" ? [] : argumentsChunks(textOf(partial_json)),
  }
  const decoders: Record<string, (event: Fields) => readonly (Fields | null)[]> = {
    message_start: ({ message }) => {
      const started = objectOf(message)
      formatter = createCompletionFormatter(textOf(started.model) || model, textOf(started.id))
      mergeUsage(started.usage)
      reports.usage(usage)
      return [formatter.deltaChunk({ role: "assistant", content: "" })]
    },
    content_block_start: ({ content_block }) => startBlock(objectOf(content_block)),
    content_block_delta: ({ delta }) =>
      isObject(delta) ? (ownValue(deltas, delta.type)?.(delta) ?? []) : [],
    content_block_stop: endBlock,
    message_delta: ({ delta, usage: reported }) => {
      mergeUsage(reported)
      const ended = objectOf(delta)
      const refusal = refusalOfMessage(ended)
      const said = splitText(refusal ?? "").map((piece) => formatter.deltaChunk({ refusal: piece }))
      const finished = formatter.deltaChunk({}, finishReasonOf(ended))
      stopSequence = { ...stopSequence, ...stopSequenceOf(ended) }
      // Some servers report the usage in an event after that with the reason.
      hasEnded ||= textOf(ended.stop_reason) !== ""
      return [
        ...(refusal === null ? [] : said),
        finished,
        ...(hasEnded && isObject(reported) ? usageChunk() : []),
      ]
    },
    message_stop: () => [...usageChunk(), null],
    error: (event) => [{ error: decodeMessagesError(event) ?? unknownError }],
  }
  const typeOf = ({ type, error }: Fields): unknown => type ?? (error ? "error" : undefined)
  return (event: Fields): readonly (Fields | null)[] =>
    ownValue(decoders, typeOf(event))?.(event) ?? []
}

const unknownError = { message: "The provider reported an error.", type: "api_error" }

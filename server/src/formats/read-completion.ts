import { annotationsIn, isUrlCitation, shiftAnnotation } from "./annotations.ts"
import { type AnswerReadingOptions, reasoningOf } from "./answer-event-reader.ts"
import type { Answer, CompleteBlock } from "./canonical-answer.ts"
import { toFinishReason } from "./finish-reason.ts"
import { type Fields, isObject, numberOf, objectOf, objectsIn, textOf } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"
import { listMessageBlocks, type MessageBlock } from "./message-blocks.ts"
import { StateCollector } from "./provider-state.ts"
import { toPlainMessage } from "./to-plain-message.ts"
import { argumentsTextOf, createCallId, splitArguments } from "./tool-arguments.ts"

type TextKind = "text" | "refusal" | "reasoning"

const textBlock = (kind: TextKind, text: string, signature = ""): CompleteBlock[] =>
  text === "" && signature === "" ? [] : [{ block: { kind }, text, signature }]

const redactedBlock = (data: string): CompleteBlock => ({
  ...{ block: { kind: "redacted", data }, text: "", signature: "" },
})

const readDetail = ({ type, text, signature, data }: Fields): CompleteBlock[] =>
  type === "reasoning.encrypted"
    ? [redactedBlock(textOf(data))]
    : textBlock("reasoning", textOf(text), textOf(signature))

interface ReadOptions extends AnswerReadingOptions {
  /** Whether the last call may be incomplete. */
  isCutOff: boolean
}

const readCall = (call: Fields, { acceptsText, isCutOff }: ReadOptions): CompleteBlock[] => {
  const { name, arguments: args } = objectOf(call.function)
  return splitArguments(argumentsTextOf(args)).map(({ text, args: read }, at) => {
    if (!(acceptsText(textOf(name)) || (isCutOff && !read.isComplete))) read.check(textOf(name))
    const id = at === 0 ? textOf(call.id) : createCallId()
    return { block: { kind: "tool", id, name: textOf(name) }, text, signature: "" }
  })
}

const readBlock = ({ kind, fields }: MessageBlock, options: ReadOptions): CompleteBlock[] => {
  if (kind === "reasoning") return readDetail(fields)
  return kind === "call" ? readCall(fields, options) : textBlock("text", textOf(fields.text))
}

/** Gives each text the annotations that begin in it. */
const addAnnotations = (
  blocks: readonly CompleteBlock[],
  annotations: readonly Fields[],
): CompleteBlock[] => {
  let start = 0
  const startOf = ({ url_citation }: Fields): number =>
    isObject(url_citation) ? numberOf(url_citation.start_index) : 0
  const lastText = blocks.findLast(({ block }) => block.kind === "text")
  return blocks.map((complete) => {
    if (complete.block.kind !== "text") return complete
    const from = start
    start += complete.text.length
    const isWithin = (annotation: Fields): boolean =>
      startOf(annotation) >= from && (startOf(annotation) < start || complete === lastText)
    const own = annotations.filter(isWithin)
    if (own.length === 0) return complete
    return { ...complete, annotations: own.map((one) => shiftAnnotation(one, from)) }
  })
}

const reportUnreadable = (
  message: Fields,
  blocks: readonly CompleteBlock[],
  { reportDropped }: AnswerReadingOptions,
): void => {
  const annotations = objectsIn(message.annotations)
  const hasText = blocks.some(({ block }) => block.kind === "text")
  if (annotations.some((one) => !(hasText && isUrlCitation(one)))) reportDropped("annotations")
  if (objectsIn(message.images).length > 0) reportDropped("images")
  if (isObject(message.audio)) reportDropped("audio")
}

/** What its provider needs back with a message, after its reasoning. */
const addState = (
  blocks: readonly CompleteBlock[],
  message: Fields,
  origin: string,
): CompleteBlock[] => {
  const state = new StateCollector()
  state.addMessage(message)
  for (const call of objectsIn(message.tool_calls)) state.addCall(textOf(call.id), call)
  const data = state.take(origin)
  if (data === "") return [...blocks]
  const isReasoning = blocks[0]?.block.kind === "reasoning"
  return blocks.toSpliced(isReasoning ? 1 : 0, 0, redactedBlock(data))
}

const readBlocks = (received: Fields, options: ReadOptions): CompleteBlock[] => {
  const { key } = options.origin
  const { reasoning_details, ...plain } = received
  const message = key === null ? received : plain
  const blocks = listMessageBlocks(message).flatMap((one) => readBlock(one, options))
  const annotations = objectsIn(message.annotations).filter(isUrlCitation)
  const refusal = textBlock("refusal", textOf(message.refusal))
  const answer = [...addAnnotations(blocks, annotations), ...refusal]
  const hasReasoning = blocks.some(({ block, text }) => block.kind === "reasoning" && text !== "")
  const all = hasReasoning ? answer : [...textBlock("reasoning", reasoningOf(message)), ...answer]
  reportUnreadable(message, all, options)
  return key === null ? all : addState(all, received, key)
}

/** Some servers leave the ids of calls out, or use the name of the tool. */
const withCallIds = (message: Fields): Fields => {
  if (!Array.isArray(message.tool_calls)) return message
  const known = new Set([""])
  const tool_calls = objectsIn(message.tool_calls).map((call) => {
    const isUnique = !known.has(textOf(call.id))
    known.add(textOf(call.id))
    return isUnique ? call : { ...call, id: createCallId() }
  })
  return { ...message, tool_calls }
}

/**
 * Reads a chat completion that is not streamed. Null if it contains no answer.
 * @throws {MalformedResponse}
 */
export const readCompletion = (
  completion: Fields,
  reading: AnswerReadingOptions,
): Answer | null => {
  const [choice] = objectsIn(completion.choices)
  if (!(choice && isObject(choice.message))) return null
  const plain = toPlainMessage(choice.message)
  const message: Fields = { ...plain, annotations: annotationsIn(plain, completion) }
  const finishReason = textOf(choice.finish_reason)
  const hasCalls = objectsIn(message.tool_calls).length > 0
  const reason = toFinishReason(finishReason, hasCalls)
  if (reason === "error")
    throw new MalformedResponse(`it ended early (finish reason "${finishReason.slice(0, 100)}")`)
  const isCutOff = reason === "length" || reason === "content_filter"
  return {
    id: textOf(completion.id),
    model: textOf(completion.model),
    blocks: readBlocks(withCallIds(message), { ...reading, isCutOff }),
    reason,
    stopSequence: textOf(completion.stop_sequence),
    usage: isObject(completion.usage) ? completion.usage : null,
  }
}

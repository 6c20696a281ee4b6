import { type AnswerBlock, reasoningOf, type StopCause, toFinishReason } from "./answer-events.ts"
import { type Fields, isObject, objectsIn, textOf } from "./json-values.ts"
import { listBlocks, type MessageBlock } from "./ordered-blocks.ts"

/** A complete block of an answer: its text, reasoning or arguments. */
export interface CompleteBlock {
  block: AnswerBlock
  text: string
  signature: string
}

/** A whole answer in canonical form. */
export interface Answer extends StopCause {
  id: string
  model: string
  blocks: CompleteBlock[]
  usage: Fields | null
}

const textBlock = (kind: "text" | "reasoning", text: string, signature = ""): CompleteBlock[] =>
  text === "" && signature === "" ? [] : [{ block: { kind }, text, signature }]

const readDetail = ({ type, text, signature, data }: Fields): CompleteBlock[] =>
  type === "reasoning.encrypted"
    ? [{ block: { kind: "redacted", data: textOf(data) }, text: "", signature: "" }]
    : textBlock("reasoning", textOf(text), textOf(signature))

const readCall = ({ id, function: called }: Fields): CompleteBlock => {
  const { name, arguments: args } = isObject(called) ? called : {}
  const text = isObject(args) ? JSON.stringify(args) : textOf(args)
  return { block: { kind: "tool", id: textOf(id), name: textOf(name) }, text, signature: "" }
}

const textOfContent = (content: unknown): string =>
  typeof content === "string"
    ? content
    : objectsIn(content)
        .map(({ text }) => textOf(text))
        .join("")

const readBlock = ({ kind, fields }: MessageBlock): CompleteBlock[] => {
  if (kind === "reasoning") return readDetail(fields)
  return kind === "call" ? [readCall(fields)] : textBlock("text", textOf(fields.text))
}

const readBlocks = (message: Fields): CompleteBlock[] => {
  const content = textOfContent(message.content) || textOf(message.refusal)
  const blocks = listBlocks({ ...message, content }).flatMap(readBlock)
  const hasReasoning = blocks.some(({ block, text }) => block.kind === "reasoning" && text !== "")
  return hasReasoning ? blocks : [...textBlock("reasoning", reasoningOf(message)), ...blocks]
}

/** Reads a chat completion that is not streamed. Null if it contains no answer. */
export const readCompletion = (completion: Fields): Answer | null => {
  const [choice] = objectsIn(completion.choices)
  const message = choice?.message
  if (!(choice && isObject(message))) return null
  const blocks = readBlocks(message)
  const hasCalls = blocks.some(({ block }) => block.kind === "tool")
  return {
    id: textOf(completion.id),
    model: textOf(completion.model),
    blocks,
    reason: toFinishReason(textOf(choice.finish_reason), hasCalls),
    stopSequence: textOf(completion.stop_sequence),
    usage: isObject(completion.usage) ? completion.usage : null,
  }
}

/** The text of an answer, without reasoning and tool calls. */
export const textOfAnswer = ({ blocks }: Answer): string =>
  blocks.map(({ block, text }) => (block.kind === "text" ? text : "")).join("")

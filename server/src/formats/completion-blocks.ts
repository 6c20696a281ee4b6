import {
  type AnswerBlock,
  type FinishReason,
  reasoningOf,
  toFinishReason,
} from "./answer-events.ts"
import { type Fields, isObject, objectsIn, textOf } from "./json-values.ts"

/** A complete block of an answer: its text, reasoning or arguments. */
export interface CompleteBlock {
  block: AnswerBlock
  text: string
  signature: string
}

/** A whole answer in canonical form. */
export interface Answer {
  id: string
  model: string
  blocks: CompleteBlock[]
  reason: FinishReason
  usage: Fields | null
}

const textBlock = (kind: "text" | "reasoning", text: string, signature = ""): CompleteBlock[] =>
  text === "" && signature === "" ? [] : [{ block: { kind }, text, signature }]

const readDetail = ({ type, text, signature, data }: Fields): CompleteBlock[] =>
  type === "reasoning.encrypted"
    ? [{ block: { kind: "redacted", data: textOf(data) }, text: "", signature: "" }]
    : textBlock("reasoning", textOf(text), textOf(signature))

const readReasoning = (message: Fields): CompleteBlock[] => {
  const details = objectsIn(message.reasoning_details).flatMap(readDetail)
  const hasText = details.some(({ text }) => text !== "")
  return hasText ? details : [...textBlock("reasoning", reasoningOf(message)), ...details]
}

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

/** Reads a chat completion that is not streamed. Null if it contains no answer. */
export const readCompletion = (completion: Fields): Answer | null => {
  const [choice] = objectsIn(completion.choices)
  const message = choice?.message
  if (!(choice && isObject(message))) return null
  const calls = objectsIn(message.tool_calls).map(readCall)
  const text = textOfContent(message.content) || textOf(message.refusal)
  return {
    id: textOf(completion.id),
    model: textOf(completion.model),
    blocks: [...readReasoning(message), ...textBlock("text", text), ...calls],
    reason: toFinishReason(textOf(choice.finish_reason), calls.length > 0),
    usage: isObject(completion.usage) ? completion.usage : null,
  }
}

/** The text of an answer, without reasoning and tool calls. */
export const textOfAnswer = ({ blocks }: Answer): string =>
  blocks.map(({ block, text }) => (block.kind === "text" ? text : "")).join("")

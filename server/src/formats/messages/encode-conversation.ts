import { fail } from "../../errors.ts"
import { reasoningOf } from "../answer-event-reader.ts"
import type { ReportDropped } from "../canonical-request.ts"
import { type Fields, isObject, objectOf, objectsIn, parseObject, textOf } from "../json-values.ts"
import { listMessageBlocks, type MessageBlock } from "../message-blocks.ts"
import { cacheControlOf, partsOf } from "../message-content.ts"
import { isProviderState } from "../provider-state.ts"
import { markLastBlock } from "./cache-breakpoints.ts"
import { toDocumentBlock, toImageBlock } from "./media-blocks.ts"

/** The conversation of a request of Anthropic's API. */
export interface Conversation {
  system: Fields[]
  messages: Message[]
}

interface Message extends Fields {
  role: "user" | "assistant"
  content: Fields[]
}

const toBlock = (part: Fields): Fields => {
  const { type, file } = part
  const cached = cacheControlOf(part)
  if (type === "text" || type === "refusal") {
    return { type: "text", text: textOf(part.text) || textOf(part.refusal), ...cached }
  }
  if (type === "image_url") return { ...toImageBlock(part), ...cached }
  if (type === "file" && isObject(file) && typeof file.file_data === "string") {
    return { ...toDocumentBlock(file), ...cached }
  }
  const what = type === "file" ? 'file" without "file_data' : textOf(type)
  const message = `The model's provider does not accept message parts of type "${what}".`
  return fail("unsupported_by_model", message, { param: "messages" })
}

const isSystem = ({ role }: Fields): boolean => role === "system" || role === "developer"

const isText = ({ type }: Fields): boolean => type === "text"
const hasInk = ({ text }: Fields): boolean => /\S/.test(textOf(text))

/** Blocks without texts that the API rejects: empty ones, and white space with no other text. */
const withoutBlankTexts = (blocks: readonly Fields[], report: ReportDropped): Fields[] => {
  const hasOtherText = blocks.some((block) => isText(block) && hasInk(block))
  const isBlank = (block: Fields): boolean =>
    isText(block) && (block.text === "" || !(hasOtherText || hasInk(block)))
  if (blocks.some((block) => isBlank(block) && block.cache_control)) report("cache_control")
  return blocks.filter((block) => !isBlank(block))
}

/** The API accepts images and files only from the user and in results of tools. */
const toTextBlock = (part: Fields, role: unknown): Fields => {
  const block = toBlock(part)
  if (block.type === "text") return block
  const message = `The model's provider does not accept images or files in messages of the role "${textOf(role)}". Send them in a message of the role "user".`
  return fail("unsupported_by_model", message, { param: "messages" })
}

const toBlocks = (message: Fields, report: ReportDropped): Fields[] => {
  const { content, role } = message
  const blocks = partsOf(content).map((part) =>
    isSystem(message) ? toTextBlock(part, role) : toBlock(part),
  )
  return markLastBlock(withoutBlankTexts(blocks, report), cacheControlOf(message), report)
}

/** The API accepts only these characters in the ids of tool calls. */
const toToolUseId = (id: unknown): string => textOf(id).replaceAll(/[^\w-]/g, "_")

/** Models sometimes write arguments that are no JSON, and clients return them. */
const toInput = (args: unknown, report: ReportDropped): Fields => {
  if (isObject(args)) return args
  const input = parseObject(textOf(args))
  if (!input && textOf(args).trim() !== "") report("arguments")
  return input ?? {}
}

const toToolUse = (call: Fields, report: ReportDropped): Fields => {
  const { name, arguments: args } = objectOf(call.function)
  const id = toToolUseId(call.id)
  return { type: "tool_use", id, name, input: toInput(args, report), ...cacheControlOf(call) }
}

const toToolResult = (message: Fields, report: ReportDropped): Fields => ({
  type: "tool_result",
  tool_use_id: toToolUseId(message.tool_call_id),
  content: withoutBlankTexts(partsOf(message.content).map(toBlock), report),
  ...(message.is_error === true && { is_error: true }),
  ...cacheControlOf(message),
})

/** Only reasoning with a signature is accepted. */
const toThinking = ({ type, text, signature, data }: Fields): Fields[] => {
  if (type === "reasoning.encrypted") {
    return isProviderState(data) ? [] : [{ type: "redacted_thinking", data }]
  }
  const isSigned = textOf(signature) !== ""
  return isSigned ? [{ type: "thinking", thinking: textOf(text), signature }] : []
}

const hasOnlyUnsignedReasoning = (message: Fields): boolean =>
  reasoningOf(message) !== "" &&
  objectsIn(message.reasoning_details).flatMap(toThinking).length === 0

const toAssistantBlocks = ({ kind, fields }: MessageBlock, report: ReportDropped): Fields[] => {
  if (kind === "reasoning") return toThinking(fields)
  return [kind === "call" ? toToolUse(fields, report) : toTextBlock(fields, "assistant")]
}

/** With the words of a refusal, if the message has no other. */
const withRefusal = (message: Fields): Fields => {
  const { content, refusal } = message
  const isEmpty = (content ?? "") === "" || (Array.isArray(content) && content.length === 0)
  return isEmpty ? { ...message, content: refusal } : message
}

const toMessage = (message: Fields, report: ReportDropped): Message => {
  if (message.role === "tool") return { role: "user", content: [toToolResult(message, report)] }
  if (message.role !== "assistant") return { role: "user", content: toBlocks(message, report) }
  const blocks = listMessageBlocks(withRefusal(message)).flatMap((block) =>
    toAssistantBlocks(block, report),
  )
  const content = withoutBlankTexts(blocks, report)
  return { role: "assistant", content: markLastBlock(content, cacheControlOf(message), report) }
}

/** The results of parallel tool calls belong into one message, as do all turns of one role. */
const mergeTurns = (messages: readonly Message[]): Message[] => {
  const merged: Message[] = []
  for (const { role, content } of messages) {
    const last = merged.at(-1)
    if (last?.role === role) {
      for (const block of content) last.content.push(block)
    } else if (content.length > 0) merged.push({ role, content: [...content] })
  }
  return merged
}

const failEmpty = (): never => {
  const message = 'The model\'s provider needs at least one message with content in "messages".'
  return fail("bad_request", message, { param: "messages" })
}

const opening: Message = {
  role: "user",
  content: [{ type: "text", text: "Begin the conversation." }],
}

/** The API accepts conversations that begin with a message of the user, while others need none. */
const withQuestion = ({ system, messages }: Conversation): Conversation => {
  const [first] = messages
  if (first?.role === "user") return { system, messages }
  if (first) return { system, messages: [opening, ...messages] }
  return system.length > 0
    ? { system: [], messages: [{ role: "user", content: system }] }
    : failEmpty()
}

const trimEnd = (content: readonly Fields[]): Fields[] => {
  const end = content.findLastIndex((block) => !isText(block) || hasInk(block))
  return content.slice(0, end + 1).map((block, at) => {
    const isLast = at === end && isText(block)
    return isLast ? { ...block, text: textOf(block.text).trimEnd() } : block
  })
}

/** The API rejects white space at the end of an answer that the model has to continue. */
const trimBeginning = (messages: readonly Message[]): Message[] =>
  messages.map((message, at) => {
    const isContinued = at === messages.length - 1 && message.role === "assistant"
    return isContinued ? { ...message, content: trimEnd(message.content) } : message
  })

/** Members of earlier answers that the API has no place for. */
const answerMembers = ["images", "audio", "function_call"]

const hasMember = (message: Fields, name: string): boolean => {
  const value = message[name]
  return Array.isArray(value) ? value.length > 0 : isObject(value)
}

const reportMessageHints = (messages: readonly Fields[], report: ReportDropped): void => {
  if (messages.some(hasOnlyUnsignedReasoning)) report("thinking")
  const isNamed = ({ role, name }: Fields): boolean => role !== "tool" && textOf(name) !== ""
  if (messages.some(isNamed)) report("name")
  for (const name of answerMembers) {
    if (messages.some((message) => hasMember(message, name))) report(name)
  }
}

/**
 * Converts the messages of a canonical prompt.
 * @throws {Failure} `unsupported_by_model`, or `bad_request` if no message has content
 */
export const encodeConversation = (
  messages: readonly Fields[],
  report: ReportDropped,
): Conversation => {
  reportMessageHints(messages, report)
  const system = messages.filter(isSystem).flatMap((message) => toBlocks(message, report))
  const others = messages.filter((message) => !isSystem(message))
  const turns = mergeTurns(others.map((message) => toMessage(message, report)))
  return withQuestion({ system, messages: trimBeginning(turns) })
}

import { fail } from "../errors.ts"
import { type Fields, isObject, objectsIn, textOf } from "./json-values.ts"
import { mergeSystemMessages } from "./merge-system-messages.ts"
import { restoreProviderState } from "./provider-state.ts"
import { withShortName } from "./tool-names.ts"

/** What the answer depends on in a request, found where the request is parsed as a whole. */
export interface AnswerContext {
  /** The names of the tools, in the client's format, if it declares them in several places. */
  tools?: readonly Fields[]
  /** Whether the answer stands for the conversation. */
  isCompaction?: boolean
}

/**
 * The canonical prompt is a chat completion request of OpenAI's API with additional members for
 * what other APIs carry:
 *
 * | Member | Meaning |
 * |---|---|
 * | `messages[].reasoning_details[]` | reasoning with its signature and position: see `ReasoningDetail` |
 * | `messages[].reasoning_content` | reasoning without a signature |
 * | `messages[].is_error` | whether a tool's result is an error |
 * | `cache_control` of messages, their parts, tool calls and tools | where Anthropic's prompt cache may cut |
 * | `top_k`, `thinking`, `cache_control` | Anthropic's parameters |
 *
 * Answers have the members of messages, and `stop_sequence`: the one that ended the answer.
 */
export interface CanonicalRequest {
  request: Fields
  /** Hints that the canonical prompt cannot carry, by their names in the client's format. */
  dropped: string[]
  answerContext: AnswerContext
}

/** The name of a file part whose document has no title; OpenAI's API requires one. */
export const defaultFilename = "document.pdf"

/** Called with the name of a hint that is left out of a request. */
export type ReportDropped = (name: string) => void

/**
 * Reasoning as OpenRouter represents it: `reasoning.text` with `text` and `signature`, or
 * `reasoning.encrypted` with `data`.
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export interface ReasoningDetail {
  type: "reasoning.text" | "reasoning.encrypted"
  text?: string
  signature?: string
  data?: string
  /**
   * How much of the message precedes it: characters (UTF-16 code units) of the text, and tool calls.
   * Absent if nothing does. Not a member of OpenRouter's.
   */
  preceding?: { characters: number; tool_calls: number }
}

const withoutMember = (fields: Fields, name: string, report: () => void): Fields => {
  if (!(name in fields)) return fields
  report()
  const { [name]: _removed, ...rest } = fields
  return rest
}

/**
 * Many servers accept only strings, unless there is something besides text. The parts of an answer
 * are pieces of one text, such as those between citations.
 */
const joinTextParts = (parts: readonly Fields[], role: unknown): unknown => {
  const areTexts = parts.every(({ type, text }) => type === "text" && typeof text === "string")
  if (parts.length === 0 || !areTexts) return parts
  return parts.map(({ text }) => text).join(role === "assistant" ? "" : "\n\n")
}

/**
 * Providers expect reasoning back with the tool calls that follow from it, until the user's next
 * question. A message that accompanies the results of tools, such as their images, is not a question.
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 */
const keepCurrentReasoning = (messages: readonly Fields[]): Fields[] => {
  const lastQuestion = messages.findLastIndex(
    ({ role }, at) => role === "user" && messages[at - 1]?.role !== "tool",
  )
  return messages.map((message, at) =>
    at > lastQuestion ? message : withoutMember(message, "reasoning_content", () => {}),
  )
}

/** Chat completions have images at an address, but no files. */
const rejectFileAddress = ({ type, file }: Fields): void => {
  if (type !== "file" || !isObject(file) || textOf(file.file_data).startsWith("data:")) return
  const message = "This model does not support files at an address. Send the file's content."
  fail("unsupported_by_model", message, { param: "messages" })
}

/** OpenAI rejects longer names of users. */
const maxUserLength = 64

/** Finds the effort that a model accepts for a requested one; null if it accepts none. */
export type ToAcceptedEffort = (effort: string) => string | null

/** Thinking between tool calls are short remarks, for which no model of others can be asked. */
const offTypes = new Set<unknown>(["disabled", "between_tools"])

/** The effort that corresponds to this many tokens of reasoning. */
export const effortOfBudget = (tokens: unknown): string => {
  if (typeof tokens !== "number") return "medium"
  if (tokens < 4096) return "low"
  return tokens < 16_384 ? "medium" : "high"
}

const effortOfThinking = ({ type, budget_tokens }: Fields): string =>
  offTypes.has(type) ? "none" : effortOfBudget(budget_tokens)

/** Models that do not reason reject `reasoning_effort`. */
const toReasoningEffort = (
  { thinking, reasoning_effort }: Fields,
  toEffort: ToAcceptedEffort,
  report: ReportDropped,
): Fields => {
  const ofThinking = isObject(thinking) ? effortOfThinking(thinking) : ""
  const effort = textOf(reasoning_effort).toLowerCase()
  const requested = ofThinking === "none" ? ofThinking : effort || ofThinking
  if (requested === "") return {}
  const accepted = toEffort(requested)
  if (accepted !== null) return { reasoning_effort: accepted }
  if (requested !== "none" && ofThinking !== "") report("thinking")
  if (requested !== "none" && effort !== "") report("effort")
  return {}
}

export interface PlainChatOptions {
  /** The model that gets the request: what it added to its earlier messages returns to it. */
  origin: string | null
  report: ReportDropped
}

/**
 * Converts a canonical prompt to a request that has only members of OpenAI's chat completions, and
 * those that the model itself added to its answers.
 */
export const toPlainChatRequest = (
  canonical: Fields,
  toEffort: ToAcceptedEffort,
  { origin, report }: PlainChatOptions,
): Fields => {
  const withoutCacheControl = (part: Fields): Fields =>
    withoutMember(part, "cache_control", () => report("cache_control"))
  const toPlainTool = (tool: Fields): Fields => withShortName(withoutCacheControl(tool))
  const toPlainPart = (part: Fields): Fields => {
    rejectFileAddress(part)
    return withoutCacheControl(part)
  }
  const toPlainMessage = (message: Fields): Fields => {
    const restored = restoreProviderState(message, origin, () => report("thinking"))
    const plain = withoutMember(withoutCacheControl(restored), "is_error", () => {
      if (message.is_error === true) report("is_error")
    })
    const { content, tool_calls } = plain
    return {
      ...plain,
      ...(Array.isArray(content) && {
        content: joinTextParts(objectsIn(content).map(toPlainPart), plain.role),
      }),
      ...(Array.isArray(tool_calls) && {
        tool_calls: objectsIn(tool_calls).map(toPlainTool),
      }),
    }
  }
  const uncached = withoutCacheControl(canonical)
  const { top_k, thinking: _thinking, reasoning_effort: _effort, user, ...request } = uncached
  if (top_k !== undefined) report("top_k")
  const isLongUser = typeof user === "string" && user.length > maxUserLength
  if (isLongUser) report("metadata.user_id")
  const messages = objectsIn(request.messages).map(toPlainMessage)
  return {
    ...request,
    ...toReasoningEffort(canonical, toEffort, report),
    ...(user !== undefined && !isLongUser && { user }),
    messages: keepCurrentReasoning(mergeSystemMessages(messages)),
    ...(Array.isArray(request.tools) && {
      tools: objectsIn(request.tools).map(toPlainTool),
    }),
    ...(isObject(request.tool_choice) && { tool_choice: withShortName(request.tool_choice) }),
  }
}

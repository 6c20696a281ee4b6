import { fail } from "../../errors.ts"
import { reasoningOf } from "../answer-events.ts"
import { defaultFilename, type ReportDropped } from "../canonical-request.ts"
import { type Fields, isObject, objectsIn, ownValue, parseObject, textOf } from "../json-values.ts"
import { listBlocks, type MessageBlock } from "../ordered-blocks.ts"
import { cacheControlOf, partsOf } from "../request-parts.ts"

/** Required by the API; used for models whose own maximum is not known. */
const defaultMaxTokens = 4096

/** What the request depends on besides the canonical prompt. */
export interface MessagesModel {
  name: string
  /** Null if unknown. */
  maxTokens: number | null
  supportsEffort: boolean
}

const dataUrl = /^data:([^;,]+);base64,/

/** The source of an image or a document: a `data:` URL or one that the provider fetches. */
const toSource = (url: string): Fields => {
  const [start, mediaType] = dataUrl.exec(url) ?? []
  if (start === undefined) return { type: "url", url }
  return { type: "base64", media_type: mediaType, data: url.slice(start.length) }
}

const toBlock = (part: Fields): Fields => {
  const { type } = part
  const cached = cacheControlOf(part)
  if (type === "text" || type === "refusal") {
    return { type: "text", text: textOf(part.text) || textOf(part.refusal), ...cached }
  }
  if (type === "image_url") {
    const image = isObject(part.image_url) ? part.image_url : {}
    return { type: "image", source: toSource(textOf(image.url)), ...cached }
  }
  if (type === "file" && isObject(part.file) && typeof part.file.file_data === "string") {
    const { filename, file_data } = part.file
    const isNamed = typeof filename === "string" && filename !== "" && filename !== defaultFilename
    const titled = isNamed ? { title: filename } : {}
    return { type: "document", source: toSource(file_data), ...titled, ...cached }
  }
  const message = `The model's provider does not accept message parts of type "${textOf(type)}".`
  return fail("unsupported_by_model", message, { param: "messages" })
}

/** Blocks without empty texts, which the API rejects. */
const toBlocks = (content: unknown): Fields[] =>
  partsOf(content)
    .map(toBlock)
    .filter(({ type, text }) => type !== "text" || text !== "")

/** The API accepts only these characters in the ids of tool calls. */
const toToolUseId = (id: unknown): string => textOf(id).replaceAll(/[^\w-]/g, "_")

const toToolUse = (call: Fields): Fields => {
  const { name, arguments: args } = isObject(call.function) ? call.function : {}
  const input = parseObject(textOf(args)) ?? {}
  return { type: "tool_use", id: toToolUseId(call.id), name, input, ...cacheControlOf(call) }
}

const toToolResult = (message: Fields): Fields => ({
  type: "tool_result",
  tool_use_id: toToolUseId(message.tool_call_id),
  content: toBlocks(message.content),
  ...(message.is_error === true && { is_error: true }),
  ...cacheControlOf(message),
})

/** Only reasoning with a signature is accepted. */
const toThinking = ({ type, text, signature, data }: Fields): Fields[] => {
  if (type === "reasoning.encrypted") return [{ type: "redacted_thinking", data }]
  const isSigned = textOf(signature) !== ""
  return isSigned ? [{ type: "thinking", thinking: textOf(text), signature }] : []
}

const hasOnlyUnsignedReasoning = (message: Fields): boolean =>
  reasoningOf(message) !== "" &&
  objectsIn(message.reasoning_details).flatMap(toThinking).length === 0

const toAssistantBlocks = ({ kind, fields }: MessageBlock): Fields[] => {
  if (kind === "reasoning") return toThinking(fields)
  return kind === "call" ? [toToolUse(fields)] : toBlocks([fields])
}

interface Message {
  role: "user" | "assistant"
  content: Fields[]
}

const toMessage = (message: Fields): Message => {
  if (message.role === "tool") return { role: "user", content: [toToolResult(message)] }
  if (message.role !== "assistant") return { role: "user", content: toBlocks(message.content) }
  return { role: "assistant", content: listBlocks(message).flatMap(toAssistantBlocks) }
}

const isSystem = ({ role }: Fields): boolean => role === "system" || role === "developer"

/** The results of parallel tool calls belong into one message, as do all turns of one role. */
const toMessages = (messages: readonly Fields[]): Fields[] => {
  const merged: Message[] = []
  for (const message of messages.filter((one) => !isSystem(one)).map(toMessage)) {
    const last = merged.at(-1)
    if (last?.role === message.role) {
      for (const block of message.content) last.content.push(block)
    } else if (message.content.length > 0) merged.push(message)
  }
  return merged.map(({ role, content }) => ({ role, content }))
}

const toTool = (tool: Fields): Fields[] => {
  const { type, function: declared } = tool
  if (!isObject(declared)) {
    const message = `The model's provider does not accept tools of type "${textOf(type)}".`
    return fail("unsupported_by_model", message, { param: "tools" })
  }
  const { name, description, parameters, strict } = declared
  const input_schema = parameters ?? { type: "object", properties: {} }
  const isStrict = strict === true ? { strict } : {}
  return [{ name, description, input_schema, ...isStrict, ...cacheControlOf(tool) }]
}

const choiceTypes: Record<string, string> = { none: "none", required: "any" }

const toToolChoice = ({ tool_choice, parallel_tool_calls }: Fields): Fields => {
  const named = isObject(tool_choice) && isObject(tool_choice.function) ? tool_choice.function : {}
  const type = "name" in named ? "tool" : (ownValue(choiceTypes, tool_choice) ?? "auto")
  const isSingle = parallel_tool_calls === false && type !== "none"
  return { type, ...named, ...(isSingle && { disable_parallel_tool_use: true }) }
}

const toOutputConfig = (
  { response_format, reasoning_effort }: Fields,
  { supportsEffort }: MessagesModel,
  report: ReportDropped,
): Fields | undefined => {
  const { type, json_schema } = isObject(response_format) ? response_format : {}
  const schema = isObject(json_schema) ? json_schema.schema : undefined
  if (type === "json_object") report("response_format")
  const effort = reasoning_effort === "minimal" ? "low" : textOf(reasoning_effort)
  const hasEffort = supportsEffort && effort !== "" && effort !== "none"
  if (effort !== "" && effort !== "none" && !hasEffort) report("reasoning_effort")
  const format = isObject(schema) ? { type: "json_schema", schema } : undefined
  return format || hasEffort ? { format, effort: hasEffort ? effort : undefined } : undefined
}

/** Fields of the request that are read here, or that say nothing about the answer. */
const knownFields = new Set([
  ...["model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens"],
  ...["temperature", "top_p", "top_k", "stop", "user", "thinking", "tools", "tool_choice"],
  ...["parallel_tool_calls", "response_format", "reasoning_effort", "cache_control"],
])

const checkFields = (request: Fields, report: ReportDropped): void => {
  const { n } = request
  if (typeof n === "number" && n > 1) {
    const message = "The model's provider returns one answer per request."
    fail("unsupported_by_model", message, { param: "n" })
  }
  for (const [name, value] of Object.entries(request)) {
    if (!knownFields.has(name) && value !== null) report(name)
  }
}

/**
 * Converts a canonical prompt to a request of Anthropic's Messages API. `undefined` members are left
 * out of the JSON.
 * @see https://platform.claude.com/docs/en/api/messages/create
 * @throws {Failure} `unsupported_by_model`
 */
export const encodeMessagesRequest = (
  request: Fields,
  model: MessagesModel,
  report: ReportDropped,
): Fields => {
  checkFields(request, report)
  const { max_tokens, max_completion_tokens, temperature, stop, user, stream } = request
  const messages = objectsIn(request.messages)
  const system = messages.filter(isSystem).flatMap(({ content }) => toBlocks(content))
  const tools = objectsIn(request.tools).flatMap(toTool)
  if (messages.some(hasOnlyUnsignedReasoning)) report("thinking")
  return {
    model: model.name,
    max_tokens: max_completion_tokens ?? max_tokens ?? model.maxTokens ?? defaultMaxTokens,
    messages: toMessages(messages),
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools, tool_choice: toToolChoice(request) }),
    output_config: toOutputConfig(request, model, report),
    // The API's range ends at 1, OpenAI's at 2.
    temperature: typeof temperature === "number" ? Math.min(1, temperature) : undefined,
    top_p: request.top_p ?? undefined,
    top_k: request.top_k ?? undefined,
    stop_sequences: typeof stop === "string" ? [stop] : (stop ?? undefined),
    thinking: request.thinking ?? undefined,
    ...cacheControlOf(request),
    metadata: typeof user === "string" ? { user_id: user } : undefined,
    stream: stream === true,
  }
}

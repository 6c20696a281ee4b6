import { isGatewayCitation } from "../annotations.ts"
import { type CanonicalRequest, defaultFilename, type ReportDropped } from "../canonical-request.ts"
import {
  type Fields,
  isObject,
  objectOf,
  objectsIn,
  omitNullish,
  ownValue,
  textOf,
} from "../json-values.ts"
import { cacheControlOf, partsOf, splitToolResult, toContent } from "../message-content.ts"
import { failUnsupported } from "../request-errors.ts"
import { checkMessagesRequest } from "./check-request.ts"
import { decodeThinking } from "./decode-thinking.ts"
import { isStrictSchema } from "./is-strict-schema.ts"

const failBlock = ({ type }: Fields): never =>
  failUnsupported(`content blocks of type "${textOf(type)}"`, "messages")

/** A `data:` URL, or the address from which the provider fetches the content. */
const urlOf = (block: Fields): string => {
  const source = objectOf(block.source)
  if (source.type === "base64") return `data:${textOf(source.media_type)};base64,${source.data}`
  if (source.type === "url") return textOf(source.url)
  const type = `${textOf(block.type)}" with a source of type "${textOf(source.type)}`
  return failBlock({ type })
}

type PartDecoder = (block: Fields, report: ReportDropped) => Fields[]

const simpleDecoders: Record<string, PartDecoder> = {
  text: ({ text, citations }, report) => {
    if (objectsIn(citations).some((one) => !isGatewayCitation(one))) report("citations")
    return [{ type: "text", text: textOf(text) }]
  },
  image: (block) => [{ type: "image_url", image_url: { url: urlOf(block) } }],
}

/** The parts of a document or search result that contains its texts and images itself. */
const toInlineParts = (heading: string, content: unknown, report: ReportDropped): Fields[] => {
  const parts = partsOf(content).flatMap((block) => toParts(block, report, simpleDecoders))
  const texts = parts.map(({ text }) => text)
  const isText = parts.every(({ type }) => type === "text")
  const text = [heading, isText ? texts.join("\n") : ""].filter(Boolean).join("\n\n")
  const start = { type: "text", text }
  if (isText) return [start]
  return text === "" ? parts : [start, ...parts]
}

const reportCitations = ({ citations }: Fields, report: ReportDropped): void => {
  if (isObject(citations) && citations.enabled === true) report("citations")
}

const partDecoders: Record<string, PartDecoder> = {
  ...simpleDecoders,
  document: (block, report) => {
    const { title, source, context } = block
    if (typeof context === "string" && context !== "") report("context")
    reportCitations(block, report)
    const { type, data, content } = objectOf(source)
    if (type === "text") return toInlineParts(textOf(title), data, report)
    if (type === "content") return toInlineParts(textOf(title), content, report)
    const filename = textOf(title) || defaultFilename
    return [{ type: "file", file: { filename, file_data: urlOf(block) } }]
  },
  search_result: (block, report) => {
    reportCitations(block, report)
    const heading = [textOf(block.title), textOf(block.source)].filter(Boolean).join("\n")
    return toInlineParts(heading, block.content, report)
  },
  /** What a search for tools found. The model knows all tools, so their names are enough. */
  tool_reference: ({ tool_name }) => [{ type: "text", text: textOf(tool_name) }],
}

/** The prompt cache may cut after the last part of a block. */
const toParts = (block: Fields, report: ReportDropped, decoders = partDecoders): Fields[] => {
  const decode = ownValue(decoders, block.type) ?? failBlock(block)
  const parts = decode(block, report)
  const last = parts.pop()
  return last ? [...parts, { ...last, ...cacheControlOf(block) }] : []
}

const toToolMessages = (block: Fields, report: ReportDropped) => {
  const parts = partsOf(block.content).flatMap((part) => toParts(part, report))
  const { content, rest } = splitToolResult(parts)
  const tool = {
    role: "tool",
    tool_call_id: block.tool_use_id,
    content,
    ...(block.is_error === true && { is_error: true }),
    ...cacheControlOf(block),
  }
  return { tool, rest }
}

/** The results of tools come first: they must follow the calls. */
const toUserMessages = ({ content }: Fields, report: ReportDropped): Fields[] => {
  const blocks = partsOf(content)
  const results = blocks
    .filter(({ type }) => type === "tool_result")
    .map((block) => toToolMessages(block, report))
  const others = blocks.filter(({ type }) => type !== "tool_result")
  const parts = [
    ...results.flatMap(({ rest }) => rest),
    ...others.flatMap((block) => toParts(block, report)),
  ]
  const tools = results.map(({ tool }) => tool)
  return parts.length > 0 ? [...tools, { role: "user", content: toContent(parts) }] : tools
}

const toReasoning = (blocks: readonly Fields[]): Fields => {
  const reasoning_details = decodeThinking(blocks)
  const reasoning_content = blocks
    .filter(({ type, signature }) => type === "thinking" && textOf(signature) === "")
    .map(({ thinking }) => textOf(thinking))
    .join("")
  return {
    ...(reasoning_content !== "" && { reasoning_content }),
    ...(reasoning_details.length > 0 && { reasoning_details }),
  }
}

const toToolCall = (block: Fields): Fields => ({
  id: block.id,
  type: "function",
  function: { name: block.name, arguments: JSON.stringify(block.input ?? {}) },
  ...cacheControlOf(block),
})

/** Blocks of an assistant's message that are no parts of its content. */
const otherTypes = new Set(["tool_use", "thinking", "redacted_thinking"])

/** Records of what tools on the provider's servers did. The client does not have to answer them. */
const isServerToolRecord = (type: string): boolean =>
  type === "server_tool_use" || type === "mcp_tool_use" || type.endsWith("_tool_result")

const withoutServerTools = (blocks: readonly Fields[], report: ReportDropped): Fields[] => {
  const isOwn = ({ type }: Fields): boolean => !isServerToolRecord(textOf(type))
  for (const { type } of blocks.filter((block) => !isOwn(block))) report(textOf(type))
  return blocks.filter(isOwn)
}

const toAssistantMessage = ({ content }: Fields, report: ReportDropped): Fields => {
  const blocks = withoutServerTools(partsOf(content), report)
  const calls = blocks.filter(({ type }) => type === "tool_use")
  const parts = blocks
    .filter(({ type }) => !otherTypes.has(textOf(type)))
    .flatMap((block) => toParts(block, report))
  return {
    role: "assistant",
    content: parts.length > 0 ? toContent(parts) : calls.length > 0 ? null : "",
    ...toReasoning(blocks),
    ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
  }
}

const toMessages = ({ system, messages }: Fields, report: ReportDropped): Fields[] => {
  const toSystem = (content: unknown): Fields[] => {
    const parts = partsOf(content).flatMap((block) => toParts(block, report))
    return parts.length > 0 ? [{ role: "system", content: toContent(parts) }] : []
  }
  const converted = objectsIn(messages).flatMap((message) => {
    if (message.role === "assistant") return [toAssistantMessage(message, report)]
    return message.role === "system" ? toSystem(message.content) : toUserMessages(message, report)
  })
  return [...toSystem(system), ...converted]
}

/** Search for tools that are left out of the prompt; a converted prompt has all of them. */
const isToolSearch = ({ type }: Fields): boolean => textOf(type).startsWith("tool_search_tool_")

/** Members of a tool that are read here. */
const knownToolMembers = new Set([
  ...["type", "name", "description", "input_schema", "strict", "cache_control"],
])
const isDefault = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every((caller) => caller === "direct")
  return value === null || value === false
}

const reportToolHints = (tool: Fields, report: ReportDropped): void => {
  for (const [name, value] of Object.entries(tool)) {
    if (!(knownToolMembers.has(name) || isDefault(value))) report(name)
  }
}

const toTool = (tool: Fields, report: ReportDropped): Fields[] => {
  const { type, name, description, input_schema, strict } = tool
  if (isToolSearch(tool)) {
    report(textOf(type))
    return []
  }
  if (type !== undefined && type !== null && type !== "custom") {
    failUnsupported(`the tool "${textOf(name)}" of type "${textOf(type)}"`, "tools")
  }
  reportToolHints(tool, report)
  const declared = { name, description, parameters: input_schema, strict: strict ?? undefined }
  return [{ type: "function", function: declared, ...cacheControlOf(tool) }]
}

const toToolChoice = (choice: Fields): unknown => {
  if (choice.type === "tool") return { type: "function", function: { name: choice.name } }
  return choice.type === "any" ? "required" : choice.type
}

const toToolFields = ({ tools, tool_choice }: Fields, report: ReportDropped): Fields => {
  const converted = objectsIn(tools).flatMap((tool) => toTool(tool, report))
  if (converted.length === 0) return {}
  const choice = objectOf(tool_choice)
  return {
    tools: converted,
    ...("type" in choice && { tool_choice: toToolChoice(choice) }),
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  }
}

/** The reply's JSON schema; `output_format` is its former name. */
const toResponseFormat = ({ output_config, output_format }: Fields): Fields => {
  const format = objectOf(output_config).format
  const { schema } = isObject(format) ? format : objectOf(output_format)
  if (!isObject(schema)) return {}
  // Elsewhere, a schema that does not follow the strict mode's rules is refused.
  const json_schema = { name: "output", schema, strict: isStrictSchema(schema) }
  return { response_format: { type: "json_schema", json_schema } }
}

/** Fields of the request that are read here. */
const knownFields = new Set([
  ...["model", "messages", "system", "max_tokens", "stream", "stop_sequences", "temperature"],
  ...["top_p", "top_k", "tools", "tool_choice", "metadata", "thinking", "output_config"],
  ...["output_format", "cache_control", "files"],
])
const serverSideFields = ["container", "mcp_servers"]

const checkFields = (body: Fields, report: ReportDropped): void => {
  for (const name of serverSideFields) {
    const value = body[name] ?? null
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
    if (!isEmpty) failUnsupported(`"${name}"`, name)
  }
  for (const [name, value] of Object.entries(body)) {
    if (!knownFields.has(name) && value !== null && !serverSideFields.includes(name)) report(name)
  }
}

/**
 * Converts a request of Anthropic's Messages API to a canonical prompt.
 * @see https://platform.claude.com/docs/en/api/messages/create
 * @throws {Failure} `bad_request`, or `unsupported_by_model` for content and tools that only
 *   Anthropic's API has
 */
export const decodeMessagesRequest = (body: Fields): CanonicalRequest => {
  const dropped = new Set<string>()
  const report: ReportDropped = (name) => void dropped.add(name)
  checkMessagesRequest(body)
  checkFields(body, report)
  const { model, max_tokens, temperature, top_p, top_k, files, stream, stop_sequences } = body
  const { metadata, output_config, thinking } = body
  const user = objectOf(metadata).user_id
  const effort = objectOf(output_config).effort
  const hasStop = Array.isArray(stop_sequences) && stop_sequences.length > 0
  const request = omitNullish({
    ...{ model, messages: toMessages(body, report) },
    ...toToolFields(body, report),
    ...toResponseFormat(body),
    ...{ max_tokens, temperature, top_p, top_k },
    stop: hasStop ? stop_sequences : undefined,
    user: typeof user === "string" ? user : undefined,
    thinking: isObject(thinking) ? thinking : undefined,
    ...cacheControlOf(body),
    reasoning_effort: typeof effort === "string" ? effort : undefined,
    files,
    stream: stream === true,
  })
  return { request, dropped: [...dropped], answerContext: {} }
}

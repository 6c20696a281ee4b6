import { z } from "zod"
import { fail } from "../errors.ts"
import { createCompletionFormatter, toTokenCounts } from "../formats/chat-completion.ts"
import { type Fields, isObject, objectsIn, parseObject, textOf } from "../formats/json-values.ts"
import type { ChatFormat, Provider, ProviderModel } from "./provider.ts"

const apiVersion = "2023-06-01"
const defaultUrl = "https://api.anthropic.com"
/** Required by the API; used for models whose own maximum is not listed. */
const defaultMaxTokens = 4096

const ModelInfo = z.looseObject({
  id: z.string(),
  created_at: z.string().catch(""),
  max_input_tokens: z.number().nullable().catch(null),
  max_tokens: z.number().nullable().catch(null),
  capabilities: z.record(z.string(), z.unknown()).nullable().catch(null),
})
type ModelInfo = z.output<typeof ModelInfo>
const ModelPage = z.object({ data: z.array(z.unknown()) })

/** Undefined if the list does not say. */
const supports = (info: ModelInfo | undefined, capability: string): boolean | undefined => {
  const found = info?.capabilities?.[capability]
  return isObject(found) ? found.supported === true : undefined
}

const toModel = (listing: unknown): ProviderModel[] => {
  const info = ModelInfo.safeParse(listing).data
  if (!info) return []
  const vision = supports(info, "image_input") ?? true
  const thinking = supports(info, "thinking") ?? false
  return [
    {
      name: info.id,
      created: Math.floor((Date.parse(info.created_at) || 0) / 1000),
      owned_by: "anthropic",
      capabilities: { completion: true, tools: true, vision, thinking },
      context_length: info.max_input_tokens,
      digest: null,
      listing,
    },
  ]
}

const dataUrl = /^data:([^;,]+);base64,/

/** The source of an image or a document: a `data:` URL or one that the provider fetches. */
const toSource = (url: string): Fields => {
  const [start, mediaType] = dataUrl.exec(url) ?? []
  if (start === undefined) return { type: "url", url }
  return { type: "base64", media_type: mediaType, data: url.slice(start.length) }
}

const toBlock = (part: Fields): Fields => {
  const { type, cache_control } = part
  const cached = isObject(cache_control) ? { cache_control } : {}
  if (type === "text" || type === "refusal") {
    return { type: "text", text: textOf(part.text) || textOf(part.refusal), ...cached }
  }
  if (type === "image_url") {
    const image = isObject(part.image_url) ? part.image_url : {}
    return { type: "image", source: toSource(textOf(image.url)), ...cached }
  }
  if (type === "file" && isObject(part.file) && typeof part.file.file_data === "string") {
    return { type: "document", source: toSource(part.file.file_data), ...cached }
  }
  const message = `The model's provider does not accept message parts of type "${textOf(type)}".`
  return fail("bad_request", message, { param: "messages" })
}

/** Blocks without empty texts, which the API rejects. */
const toBlocks = (content: unknown): Fields[] => {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content)
  return parts.map(toBlock).filter(({ type, text }) => type !== "text" || text !== "")
}

const toToolUse = ({ id, function: called }: Fields): Fields => {
  const { name, arguments: args } = isObject(called) ? called : {}
  return { type: "tool_use", id, name, input: parseObject(textOf(args)) ?? {} }
}

const toMessage = (message: Fields): { role: "user" | "assistant"; content: Fields[] } => {
  const content = toBlocks(message.content)
  if (message.role === "tool") {
    const result = { type: "tool_result", tool_use_id: message.tool_call_id, content }
    return { role: "user", content: [result] }
  }
  if (message.role !== "assistant") return { role: "user", content }
  return {
    role: "assistant",
    content: [...content, ...objectsIn(message.tool_calls).map(toToolUse)],
  }
}

const isSystem = ({ role }: Fields): boolean => role === "system" || role === "developer"

/** The results of parallel tool calls belong into one message, as do all turns of one role. */
const toMessages = (messages: readonly Fields[]): Fields[] => {
  const merged: ReturnType<typeof toMessage>[] = []
  for (const message of messages.filter((one) => !isSystem(one)).map(toMessage)) {
    const last = merged.at(-1)
    if (last?.role === message.role) last.content.push(...message.content)
    else if (message.content.length > 0) merged.push(message)
  }
  return merged
}

const toTool = ({ function: declared }: Fields): Fields[] => {
  if (!isObject(declared)) return []
  const { name, description, parameters } = declared
  return [{ name, description, input_schema: parameters ?? { type: "object", properties: {} } }]
}

const choiceTypes: Record<string, string> = { none: "none", required: "any" }

const toToolChoice = ({ tool_choice, parallel_tool_calls }: Fields): Fields => {
  const named = isObject(tool_choice) && isObject(tool_choice.function) ? tool_choice.function : {}
  const type = "name" in named ? "tool" : (choiceTypes[textOf(tool_choice)] ?? "auto")
  const isSingle = parallel_tool_calls === false && type !== "none"
  return { type, ...named, ...(isSingle && { disable_parallel_tool_use: true }) }
}

const toOutputConfig = (
  { response_format, reasoning_effort }: Fields,
  info: ModelInfo | undefined,
): Fields | undefined => {
  const { json_schema } = isObject(response_format) ? response_format : {}
  const schema = isObject(json_schema) ? json_schema.schema : undefined
  const effort = reasoning_effort === "minimal" ? "low" : textOf(reasoning_effort)
  const hasEffort = supports(info, "effort") && effort !== "" && effort !== "none"
  const format = isObject(schema) ? { type: "json_schema", schema } : undefined
  return format || hasEffort ? { format, effort: hasEffort ? effort : undefined } : undefined
}

/** `undefined` members are left out of the JSON. */
const encodeRequest = (request: Fields, { name, listing }: ProviderModel): Fields => {
  const { n, max_tokens, max_completion_tokens, temperature, stop, user, stream } = request
  if (typeof n === "number" && n > 1) {
    fail("bad_request", "The model's provider returns one answer per request.", { param: "n" })
  }
  const info = ModelInfo.safeParse(listing).data
  const messages = objectsIn(request.messages)
  const system = messages.filter(isSystem).flatMap(({ content }) => toBlocks(content))
  const tools = objectsIn(request.tools).flatMap(toTool)
  return {
    model: name,
    max_tokens: max_completion_tokens ?? max_tokens ?? info?.max_tokens ?? defaultMaxTokens,
    messages: toMessages(messages),
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools, tool_choice: toToolChoice(request) }),
    output_config: toOutputConfig(request, info),
    // The API's range ends at 1, OpenAI's at 2.
    temperature: typeof temperature === "number" ? Math.min(1, temperature) : undefined,
    top_p: request.top_p ?? undefined,
    stop_sequences: typeof stop === "string" ? [stop] : (stop ?? undefined),
    thinking: request.thinking ?? undefined,
    metadata: typeof user === "string" ? { user_id: user } : undefined,
    stream: stream === true,
  }
}

const finishReasons: Record<string, string> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
}

const toFinishReason = (reason: unknown): string => finishReasons[textOf(reason)] ?? "stop"

const countOf = (value: unknown): number => (typeof value === "number" ? value : 0)

/** Input tokens that were read from or written to the cache are counted apart. */
const toUsage = (usage: Fields): Fields => {
  const cached_tokens = countOf(usage.cache_read_input_tokens)
  const written = countOf(usage.cache_creation_input_tokens)
  const prompt_tokens = countOf(usage.input_tokens) + written + cached_tokens
  return {
    ...toTokenCounts(prompt_tokens, countOf(usage.output_tokens)),
    prompt_tokens_details: { cached_tokens },
  }
}

const joinTexts = (blocks: readonly Fields[], type: string, member: string): string =>
  blocks.map((block) => (block.type === type ? textOf(block[member]) : "")).join("")

const decodeResponse: ChatFormat["decodeResponse"] = (response, { name }) => {
  const blocks = objectsIn(response.content)
  const calls = blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }))
  const reasoning = joinTexts(blocks, "thinking", "thinking")
  const text = joinTexts(blocks, "text", "text")
  const message = {
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const usage = toUsage(isObject(response.usage) ? response.usage : {})
  return createCompletionFormatter(textOf(response.model) || name, textOf(response.id)).completion(
    message,
    toFinishReason(response.stop_reason),
    { usage },
  )
}

const decodeError: ChatFormat["decodeError"] = ({ error }) => {
  if (!isObject(error)) return null
  const { type, message } = error
  return { message: textOf(message), type: textOf(type), param: null, code: textOf(type) }
}

const createStreamDecoder: ChatFormat["createStreamDecoder"] = ({ name }) => {
  let formatter = createCompletionFormatter(name)
  let usage: Fields = {}
  /** Number of the current tool call; its arguments arrive in pieces. */
  let call = -1
  let hasArguments = true

  const argumentsChunk = (text: string): Fields => {
    hasArguments = true
    return formatter.deltaChunk({ tool_calls: [{ index: call, function: { arguments: text } }] })
  }
  const mergeUsage = (reported: unknown): void => {
    const counts = Object.entries(isObject(reported) ? reported : {})
    usage = { ...usage, ...Object.fromEntries(counts.filter(([, value]) => value !== null)) }
  }

  const decoders: Record<string, (event: Fields) => readonly (Fields | null)[]> = {
    message_start: ({ message }) => {
      const started = isObject(message) ? message : {}
      formatter = createCompletionFormatter(textOf(started.model) || name, textOf(started.id))
      mergeUsage(started.usage)
      return [formatter.deltaChunk({ role: "assistant", content: "" })]
    },
    content_block_start: ({ content_block }) => {
      const { type, id, name } = isObject(content_block) ? content_block : {}
      if (type !== "tool_use") return []
      call++
      hasArguments = false
      const started = { index: call, id, type: "function", function: { name, arguments: "" } }
      return [formatter.deltaChunk({ tool_calls: [started] })]
    },
    content_block_delta: ({ delta }) => {
      const { type, text, thinking, partial_json } = isObject(delta) ? delta : {}
      if (type === "text_delta") return [formatter.deltaChunk({ content: text })]
      if (type === "thinking_delta") return [formatter.deltaChunk({ reasoning_content: thinking })]
      const isInput = type === "input_json_delta" && partial_json !== ""
      return isInput ? [argumentsChunk(textOf(partial_json))] : []
    },
    // A tool without arguments sends no piece of them, but "" is not JSON.
    content_block_stop: () => (hasArguments ? [] : [argumentsChunk("{}")]),
    message_delta: ({ delta, usage: reported }) => {
      mergeUsage(reported)
      return [formatter.deltaChunk({}, toFinishReason(isObject(delta) ? delta.stop_reason : null))]
    },
    message_stop: () => [formatter.chunk({ usage: toUsage(usage) }), null],
    error: (event) => [{ error: decodeError(event) }, null],
  }
  return (event) => decoders[textOf(event.type)]?.(event) ?? []
}

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export const anthropic: Provider = {
  label: "Anthropic",
  apiLabel: "the Anthropic API",
  connection_type: "external",
  defaultUrl,
  presets: [{ name: "Anthropic", base_url: defaultUrl, is_local: false }],
  baseUrlHint: "Use the base URL without /v1.",
  variables: {
    urls: ["ANTHROPIC_BASE_URLS", "ANTHROPIC_BASE_URL"],
    keys: ["ANTHROPIC_API_KEYS", "ANTHROPIC_API_KEY"],
    usesDefaultUrl: "with a key",
  },
  operations: ["chat/completions"],
  operationPath: () => "/v1/messages",
  credentialHeaders: (key) => ({
    "anthropic-version": apiVersion,
    ...(key !== "" && { "x-api-key": key }),
  }),
  listModels: async (client) => {
    const reply = await client.ask({ method: "GET", path: "/v1/models?limit=1000" })
    return ModelPage.parse(reply).data.flatMap(toModel)
  },
  listLoaded: null,
  chatFormat: { encodeRequest, decodeResponse, createStreamDecoder, decodeError },
}

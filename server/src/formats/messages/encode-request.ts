import { fail } from "../../errors.ts"
import type { ReportDropped } from "../canonical-request.ts"
import {
  type Fields,
  isObject,
  numberOf,
  objectOf,
  objectsIn,
  ownValue,
  textOf,
} from "../json-values.ts"
import { cacheControlOf } from "../message-content.ts"
import { limitBreakpoints } from "./cache-breakpoints.ts"
import { encodeConversation } from "./encode-conversation.ts"
import { toStructuredSchema } from "./structured-output-schema.ts"
import {
  requestedEffortOf,
  type ThinkingSupport,
  toSampling,
  toThinkingParameters,
} from "./thinking-parameters.ts"
import { toInputSchema } from "./to-input-schema.ts"

/** For models whose own maximum is not known. */
const defaultMaxTokens = 4096

/** What the request depends on besides the canonical prompt. */
export interface MessagesModel extends ThinkingSupport {
  name: string
  /** Null if unknown. */
  maxTokens: number | null
}

const toTool = (tool: Fields): Fields => {
  const { type, function: declared } = tool
  if (!isObject(declared)) {
    const message = `The model's provider does not accept tools of type "${textOf(type)}".`
    return fail("unsupported_by_model", message, { param: "tools" })
  }
  const { name, description, parameters, strict } = declared
  const isStrict = strict === true
  return {
    ...{ name, description, input_schema: toInputSchema(parameters, isStrict) },
    ...(isStrict && { strict }),
    ...cacheControlOf(declared),
    ...cacheControlOf(tool),
  }
}

const choiceTypes: Record<string, string> = { none: "none", required: "any" }

const toToolChoice = ({ tool_choice, parallel_tool_calls }: Fields): Fields => {
  const named: Fields = objectOf(objectOf(tool_choice).function)
  const type = named.name !== undefined ? "tool" : (ownValue(choiceTypes, tool_choice) ?? "auto")
  const isSingle = parallel_tool_calls === false && type !== "none"
  return { type, ...named, ...(isSingle && { disable_parallel_tool_use: true }) }
}

const toToolFields = (request: Fields): { tools?: Fields[]; tool_choice: Fields } => {
  const tools = objectsIn(request.tools).map(toTool)
  return tools.length > 0 ? { tools, tool_choice: toToolChoice(request) } : { tool_choice: {} }
}

const toFormat = ({ response_format }: Fields, report: ReportDropped): Fields | undefined => {
  const { type, json_schema } = objectOf(response_format)
  const schema = objectOf(json_schema).schema
  if (isObject(schema)) return { type: "json_schema", schema: toStructuredSchema(schema) }
  if (type === "json_object" || type === "json_schema") report("response_format")
  return undefined
}

/** Fields of the request that are read here, or that say nothing about the answer. */
const knownFields = new Set([
  ...["model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens"],
  ...["temperature", "top_p", "top_k", "stop", "user", "thinking", "tools", "tool_choice"],
  ...["parallel_tool_calls", "response_format", "reasoning_effort", "reasoning", "cache_control"],
])

const checkFields = (request: Fields, report: ReportDropped): void => {
  const { n } = request
  if (typeof n === "number" && n > 1) {
    const message = "The model's provider returns one answer per request."
    fail("unsupported_by_model", message, { param: "n" })
  }
  const { thinking = null, reasoning = null } = request
  if (reasoning !== null && requestedEffortOf(request) === "") report("reasoning")
  if (thinking !== null && !isObject(thinking)) report("thinking")
  for (const [name, value] of Object.entries(request)) {
    if (!knownFields.has(name) && value !== null) report(name)
  }
}

/** Required by the API. Without a limit of the client there is room besides its thinking. */
const toMaxTokens = (request: Fields, { maxTokens }: MessagesModel): unknown => {
  const { max_completion_tokens, max_tokens, thinking } = request
  const budget = isObject(thinking) ? numberOf(thinking.budget_tokens) : 0
  return max_completion_tokens ?? max_tokens ?? maxTokens ?? budget + defaultMaxTokens
}

/** The API's range ends at 1, OpenAI's at 2. */
const readSampling = ({ temperature, top_p, top_k }: Fields): Fields => ({
  temperature: typeof temperature === "number" ? Math.min(1, temperature) : undefined,
  top_p: top_p ?? undefined,
  top_k: top_k ?? undefined,
})

/**
 * Converts a canonical prompt to a request of Anthropic's Messages API. `undefined` members are left
 * out of the JSON.
 * @see https://platform.claude.com/docs/en/api/messages/create
 * @throws {Failure} `unsupported_by_model` or `bad_request`
 */
export const encodeMessagesRequest = (
  request: Fields,
  model: MessagesModel,
  report: ReportDropped,
): Fields => {
  checkFields(request, report)
  const { stop, user, stream } = request
  const max_tokens = toMaxTokens(request, model)
  const { system, messages } = encodeConversation(objectsIn(request.messages), report)
  const { tools, tool_choice } = toToolFields(request)
  const format = toFormat(request, report)
  const context = { support: model, max_tokens: Number(max_tokens), messages, tool_choice }
  const { thinking, effort } = toThinkingParameters(request, context, report)
  const isThinking = thinking !== undefined && thinking.type !== "disabled"
  const isThinkingAdded = isThinking && !isObject(request.thinking)
  const encoded = {
    ...{ model: model.name, max_tokens, messages },
    ...(system.length > 0 && { system }),
    ...(tools && { tools, tool_choice }),
    output_config: format || effort ? { format, effort } : undefined,
    ...toSampling(readSampling(request), isThinkingAdded, model, report),
    stop_sequences: typeof stop === "string" ? [stop] : (stop ?? undefined),
    thinking,
    ...cacheControlOf(request),
    metadata: typeof user === "string" ? { user_id: user } : undefined,
    stream: stream === true,
  }
  return limitBreakpoints(encoded, report)
}

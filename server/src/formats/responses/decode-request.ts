import type { CanonicalRequest, ReportDropped } from "../canonical-request.ts"
import { type Fields, isObject, objectOf, objectsIn, omitNullish, textOf } from "../json-values.ts"
import { cacheControlOf } from "../message-content.ts"
import { failUnsupported, failWrongType } from "../request-errors.ts"
import { checkResponsesRequest } from "./check-request.ts"
import { requestsCompaction, summaryRequest } from "./compaction.ts"
import { decodeItems } from "./decode-items.ts"
import { clientToolsOf, convertTools, functionNameOf, toNamedTool } from "./tools.ts"

const toToolChoice = (choice: unknown): unknown => {
  if (!isObject(choice)) return choice
  if (choice.type === "function" || choice.type === "custom") {
    return { type: "function", function: { name: functionNameOf(choice) } }
  }
  if (choice.type === "allowed_tools") return choice.mode
  return failUnsupported(`a tool choice of type "${textOf(choice.type)}"`, "tool_choice")
}

/** A choice of type `allowed_tools` names the tools that may be called. */
const createAllowedCheck = (choice: unknown): ((tool: Fields) => boolean) => {
  if (!isObject(choice) || choice.type !== "allowed_tools") return () => true
  const names = new Set(objectsIn(choice.tools).map(functionNameOf))
  return ({ function: declared }) => isObject(declared) && names.has(textOf(declared.name))
}

const toToolFields = (body: Fields): Fields => {
  const { tool_choice, parallel_tool_calls } = body
  const converted = convertTools(clientToolsOf(body))
  const isAllowed = createAllowedCheck(tool_choice)
  const allowed = converted.tools.filter(isAllowed)
  if (allowed.length === 0) return {}
  return { tools: allowed, tool_choice: toToolChoice(tool_choice), parallel_tool_calls }
}

const toResponseFormat = ({ text }: Fields): unknown => {
  const format = objectOf(objectOf(text).format)
  if (format.type === "json_object") return { type: "json_object" }
  if (format.type !== "json_schema") return undefined
  const { type: _type, ...json_schema } = format
  return { type: "json_schema", json_schema }
}

/** Fields that are read here, that the answer repeats, or that say nothing about it. */
const knownFields = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream"],
  ...["temperature", "top_p", "max_output_tokens", "text", "reasoning", "user", "files"],
  "cache_control",
  ...["metadata", "store", "include", "previous_response_id", "stream_options", "background"],
])
/** Values that ask for nothing special. */
const defaultValues: Record<string, unknown> = {
  truncation: "disabled",
  service_tier: "auto",
  top_logprobs: 0,
}

/** `auto` as a summary is the reasoning as the provider returns it, which cannot be shortened. */
const defaultReasoningValues = new Set<unknown>([null, "auto", "standard"])

const reportReasoningHints = ({ reasoning }: Fields, report: ReportDropped): void => {
  for (const [name, value] of Object.entries(objectOf(reasoning))) {
    if (name !== "effort" && !defaultReasoningValues.has(value)) report(`reasoning.${name}`)
  }
}

/** What every response and its stored input have, whether a request includes it or not. */
const alwaysIncluded = new Set(["reasoning.encrypted_content", "message.input_image.image_url"])

const reportIncludeHints = ({ include }: Fields, report: ReportDropped): void => {
  const entries = Array.isArray(include) ? include.map(textOf) : []
  for (const entry of entries) if (!alwaysIncluded.has(entry)) report(`include.${entry}`)
}

const reportUnknownFields = (body: Fields, report: ReportDropped): void => {
  for (const [name, value] of Object.entries(body)) {
    const isDefault = value === null || value === defaultValues[name]
    if (!(knownFields.has(name) || isDefault)) report(name)
  }
  if (isObject(body.text) && typeof body.text.verbosity === "string") report("text.verbosity")
  reportReasoningHints(body, report)
  reportIncludeHints(body, report)
}

/** Prompts that OpenAI stores are not known to any other provider. */
const rejectStoredPrompt = ({ prompt }: Fields): void => {
  if (prompt === undefined || prompt === null) return
  failUnsupported('"prompt", a prompt stored by OpenAI', "prompt")
}

/** What is asked for; a model that shall summarize the conversation must not go on with it. */
const toTaskFields = (body: Fields, isCompaction: boolean): Fields => {
  const toolFields = toToolFields(body)
  if (!isCompaction) return { ...toolFields, response_format: toResponseFormat(body) }
  return "tools" in toolFields ? { ...toolFields, tool_choice: "none" } : {}
}

const decodeMessages = (body: Fields, isCompaction: boolean, report: ReportDropped): Fields[] => {
  const system = textOf(body.instructions)
  const messages = decodeItems(body.input, report)
  return [
    ...(system === "" ? [] : [{ role: "system", content: system }]),
    ...messages,
    ...(isCompaction ? [{ role: "user", content: summaryRequest }] : []),
  ]
}

const decode = (body: Fields, isCompaction: boolean): CanonicalRequest => {
  const dropped = new Set<string>()
  const report: ReportDropped = (name) => void dropped.add(name)
  rejectStoredPrompt(body)
  checkResponsesRequest(body)
  reportUnknownFields(body, report)
  const { reasoning, user } = body
  const effort = objectOf(reasoning).effort
  const request = omitNullish({
    model: body.model,
    messages: decodeMessages(body, isCompaction, report),
    ...toTaskFields(body, isCompaction),
    max_tokens: body.max_output_tokens,
    temperature: body.temperature,
    top_p: body.top_p,
    user: typeof user === "string" ? user : undefined,
    reasoning_effort: typeof effort === "string" ? effort : undefined,
    ...cacheControlOf(body),
    files: body.files,
    stream: body.stream === true,
  })
  const tools = clientToolsOf(body).map(toNamedTool)
  return { request, dropped: [...dropped], answerContext: { tools, isCompaction } }
}

/**
 * Converts a request of OpenAI's Responses API to a canonical prompt. Earlier responses must be part
 * of `input` already.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @throws {Failure} `unsupported_by_model` or `bad_request`
 */
export const decodeResponsesRequest = (body: Fields): CanonicalRequest =>
  decode(body, requestsCompaction(body))

/** The same for a request whose only purpose is a compaction. @throws {Failure} likewise */
export const decodeCompactionRequest = (body: Fields): CanonicalRequest => {
  if (body.stream === true) failWrongType("stream", "false: a compaction is not streamed")
  return decode(body, true)
}

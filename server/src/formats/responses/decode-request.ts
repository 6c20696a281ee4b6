import type { CanonicalRequest, ReportDropped } from "../canonical-request.ts"
import { type Fields, isObject, objectsIn, textOf } from "../json-values.ts"
import { cacheControlOf, failUnsupported, omitUndefined } from "../request-parts.ts"
import { checkResponsesRequest } from "./check-request.ts"
import { decodeItems } from "./decode-items.ts"
import { convertTools, functionNameOf } from "./tools.ts"

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

const toToolFields = ({ tools, tool_choice, parallel_tool_calls }: Fields): Fields => {
  const converted = convertTools(tools)
  const isAllowed = createAllowedCheck(tool_choice)
  const allowed = converted.tools.filter(isAllowed)
  if (allowed.length === 0) return {}
  return {
    tools: allowed,
    tool_choice: toToolChoice(tool_choice) ?? undefined,
    parallel_tool_calls: parallel_tool_calls ?? undefined,
  }
}

const toResponseFormat = ({ text }: Fields): unknown => {
  const format = isObject(text) && isObject(text.format) ? text.format : {}
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
  for (const [name, value] of Object.entries(isObject(reasoning) ? reasoning : {})) {
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

/**
 * Converts a request of OpenAI's Responses API to a canonical prompt. Earlier responses must be part
 * of `input` already.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @throws {Failure} `unsupported_by_model` or `bad_request`
 */
export const decodeResponsesRequest = (body: Fields): CanonicalRequest => {
  const dropped = new Set<string>()
  const report: ReportDropped = (name) => void dropped.add(name)
  rejectStoredPrompt(body)
  checkResponsesRequest(body)
  reportUnknownFields(body, report)
  const { instructions, reasoning, user } = body
  const system = textOf(instructions)
  const messages = decodeItems(body.input, report)
  const effort = isObject(reasoning) ? reasoning.effort : undefined
  const request = omitUndefined({
    model: body.model,
    messages: system === "" ? messages : [{ role: "system", content: system }, ...messages],
    ...toToolFields(body),
    response_format: toResponseFormat(body),
    max_tokens: body.max_output_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    user: typeof user === "string" ? user : undefined,
    reasoning_effort: typeof effort === "string" ? effort : undefined,
    ...cacheControlOf(body),
    files: body.files,
    stream: body.stream === true,
  })
  return { request, dropped: [...dropped] }
}

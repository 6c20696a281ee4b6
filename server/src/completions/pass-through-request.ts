import { type Fields, isObject, textOf } from "../formats/json-values.ts"
import { removeForeignContent } from "../formats/messages/foreign-content.ts"
import { removeUnreadableReasoning } from "../formats/responses/unreadable-reasoning.ts"
import { readMembers } from "../http/json-members.ts"
import { parseAllFields } from "../http/json-object.ts"
import { isReasoningModel } from "../providers/openai-models.ts"
import type { ModelRequest } from "./request.ts"

/** The request with other fields. */
export const replaceFields = (request: ModelRequest, fields: Fields): ModelRequest => {
  const bytes = Buffer.from(JSON.stringify(fields))
  return { ...request, bytes, members: readMembers(bytes), fields, scanned: null }
}

type MemberSearch = (bytes: Buffer) => boolean

/**
 * Finds a member with any space around its colon, without parsing the body.
 * @param text that must occur, and seldom does: it is found faster than a pattern
 */
const searchOf =
  (text: string, pattern: RegExp): MemberSearch =>
  (bytes) =>
    bytes.includes(text) && pattern.test(bytes.toString("latin1"))

const hasReasoning = searchOf('"reasoning"', /"type"\s*:\s*"reasoning"/)

const encryptedReasoning = "reasoning.encrypted_content"

/**
 * Without it, the reasoning of a response that the provider does not store would be lost. Models
 * that do not reason reject the option.
 */
const includeReasoning = ({ model, include, reasoning }: Fields): Fields => {
  const reasons = isObject(reasoning) || isReasoningModel(textOf(model))
  const included: unknown[] = Array.isArray(include) ? include : []
  if (!reasons || included.includes(encryptedReasoning)) return {}
  return { include: [...included, encryptedReasoning] }
}

const foreignContent: readonly MemberSearch[] = [
  searchOf('"signature"', /"signature"\s*:\s*""/),
  searchOf('"portico.', /"data"\s*:\s*"portico\./),
  searchOf('"encrypted_index"', /"encrypted_index"\s*:\s*""/),
]

/** Whether the request, or a part of it, may be one that the provider does not accept. */
export const mayNeedChange = ({ operation, bytes, fields }: ModelRequest): boolean =>
  operation === "responses"
    ? fields.store !== false || hasReasoning(bytes)
    : foreignContent.some((isIn) => isIn(bytes))

/** The provider does not store the response, and gets no reasoning that it cannot read. */
const toPassThroughResponsesRequest = (request: ModelRequest): ModelRequest => {
  const { fields } = parseAllFields(request)
  const input = removeUnreadableReasoning(fields.input)
  if (input === fields.input && fields.store === false) return request
  const options = fields.store === false ? {} : includeReasoning(fields)
  return replaceFields(request, { ...fields, ...options, input, store: false })
}

const toPassThroughMessagesRequest = (request: ModelRequest): ModelRequest => {
  const { fields } = parseAllFields(request)
  const messages = removeForeignContent(fields.messages)
  return messages === fields.messages ? request : replaceFields(request, { ...fields, messages })
}

/** The request for a provider that speaks the client's format; usually the same bytes. */
export const toPassThroughRequest = (request: ModelRequest): ModelRequest => {
  if (!mayNeedChange(request)) return request
  return request.operation === "responses"
    ? toPassThroughResponsesRequest(request)
    : toPassThroughMessagesRequest(request)
}

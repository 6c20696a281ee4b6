import { type Fields, isObject, textOf } from "../formats/json-values.ts"
import { removeForeignContent } from "../formats/messages/foreign-content.ts"
import { expandCompactions } from "../formats/responses/compaction.ts"
import { removeUnreadableReasoning } from "../formats/responses/unreadable-reasoning.ts"
import { readMembers } from "../http/json-members.ts"
import { parseAllFields } from "../http/json-object.ts"
import { isReasoningModel } from "../providers/openai-models.ts"
import type { CompletionOperation } from "../providers/provider.ts"
import { isResponsesOperation, type ModelRequest } from "./request.ts"

/** The request with other fields. */
const replaceFields = (request: ModelRequest, fields: Fields): ModelRequest => {
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

const gatewayMark = Buffer.from('"portico.')

/** Whether the request, or a part of it, may be one that the provider does not accept. */
export const mayNeedChange = (request: ModelRequest): boolean => {
  const { operation, bytes, fields } = request
  if (!isResponsesOperation(request)) return foreignContent.some((isIn) => isIn(bytes))
  const isToBeStored = operation === "responses" && fields.store !== false
  return isToBeStored || bytes.includes(gatewayMark) || hasReasoning(bytes)
}

const toReadableInput = ({ input }: Fields): unknown =>
  expandCompactions(removeUnreadableReasoning(input))

/** The provider does not store the response, and gets no items that it cannot read. */
const toPassThroughResponsesRequest = (request: ModelRequest): ModelRequest => {
  const { fields } = parseAllFields(request)
  const input = toReadableInput(fields)
  if (input === fields.input && fields.store === false) return request
  const options = fields.store === false ? {} : includeReasoning(fields)
  return replaceFields(request, { ...fields, ...options, input, store: false })
}

const toPassThroughCompactionRequest = (request: ModelRequest): ModelRequest => {
  const { fields } = parseAllFields(request)
  const input = toReadableInput(fields)
  return input === fields.input ? request : replaceFields(request, { ...fields, input })
}

const toPassThroughMessagesRequest = (request: ModelRequest): ModelRequest => {
  const { fields } = parseAllFields(request)
  const messages = removeForeignContent(fields.messages)
  return messages === fields.messages ? request : replaceFields(request, { ...fields, messages })
}

const changeByOperation: Partial<
  Record<CompletionOperation, (request: ModelRequest) => ModelRequest>
> = {
  responses: toPassThroughResponsesRequest,
  "responses/compact": toPassThroughCompactionRequest,
}

/** The request for a provider that speaks the client's format; usually the same bytes. */
export const toPassThroughRequest = (request: ModelRequest): ModelRequest =>
  mayNeedChange(request)
    ? (changeByOperation[request.operation] ?? toPassThroughMessagesRequest)(request)
    : request

import { type Fields, isObject, textOf } from "../../formats/json-values.ts"
import { createCompactionEncoder } from "../../formats/responses/compaction-format.ts"
import { decodeResponsesRequest } from "../../formats/responses/decode-request.ts"
import { createResponseEncoder } from "../../formats/responses/encode-response.ts"
import { formatResponsesFailure, lastEventTypes } from "../../formats/responses/failure-event.ts"
import { isReasoningModel } from "../../providers/openai-parameters.ts"
import { ResponsesBody } from "../schema.ts"
import { openaiOperation } from "./openai-operation.ts"
import type { ApiOperation, StreamFormat } from "./operation.ts"
import { mayHaveUnreadableItems, toProviderInput } from "./provider-input.ts"
import { buffers, dataLines, doneLines } from "./stream-end-markers.ts"

/** How servers write the type of an event, which comes first or anywhere. */
const typeMembers = (types: Iterable<string>): string[] =>
  [...types].flatMap((type) => [`"type":"${type}"`, `"type": "${type}"`])

/** @see https://platform.openai.com/docs/api-reference/responses-streaming */
const responsesStream: StreamFormat = {
  endMarkers: {
    terminatorLines: doneLines,
    terminatorMembers: buffers(...typeMembers(lastEventTypes)),
    missingTerminator: null,
    contentStarts: [],
    finishReasons: [],
    errorLines: [
      ...dataLines('{"error"'),
      ...typeMembers(["error", "response.failed"]).flatMap((type) => dataLines(`{${type}`)),
    ],
  },
  formatFailure: formatResponsesFailure,
  isNumbered: true,
  ping: null,
}

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

/** The provider does not store the response, and gets no items that it cannot read. */
const toUnstored = (fields: Fields): Fields => {
  const input = toProviderInput(fields)
  if (input === fields.input && fields.store === false) return fields
  const options = fields.store === false ? {} : includeReasoning(fields)
  return { ...fields, ...options, input, store: false }
}

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const responsesOperation: ApiOperation = {
  ...openaiOperation,
  name: "responses",
  isOptional: true,
  summary: "Create a response",
  body: ResponsesBody,
  metricName: "chat",
  format: {
    decodeRequest: decodeResponsesRequest,
    createEncoder: (context) =>
      context.isCompaction ? createCompactionEncoder(context) : createResponseEncoder(context),
  },
  passThrough: {
    mayNeedChange: (bytes, { store }) => store !== false || mayHaveUnreadableItems(bytes),
    change: toUnstored,
  },
  outputFields: ["max_output_tokens"],
  fileMember: "input",
  refersToResponses: true,
  storesResponse: true,
  stream: responsesStream,
}

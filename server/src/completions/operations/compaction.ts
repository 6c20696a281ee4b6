import type { Fields } from "../../formats/json-values.ts"
import { compactionFormat } from "../../formats/responses/compaction-format.ts"
import { ResponsesBody } from "../schema.ts"
import { openaiOperation } from "./openai-operation.ts"
import type { ApiOperation } from "./operation.ts"
import { mayHaveUnreadableItems, toProviderInput } from "./provider-input.ts"

const withReadableInput = (fields: Fields): Fields => {
  const input = toProviderInput(fields)
  return input === fields.input ? fields : { ...fields, input }
}

/** https://platform.openai.com/docs/api-reference/responses/compact */
export const compactionOperation: ApiOperation = {
  ...openaiOperation,
  name: "responses/compact",
  isOptional: true,
  summary: "Replace a conversation by an item that contains its summary",
  body: ResponsesBody,
  metricName: "responses/compact",
  format: compactionFormat,
  passThrough: { mayNeedChange: mayHaveUnreadableItems, change: withReadableInput },
  // A provider that has compaction keeps more of the conversation than a summary does.
  prefersPassThrough: true,
  outputFields: ["max_output_tokens"],
  fileMember: "input",
  refersToResponses: true,
}

import type { Fields } from "../../formats/json-values.ts"
import { compactionFormat } from "../../formats/responses/compaction-format.ts"
import { providerResponse, ResponsesBody } from "../schema.ts"
import { openaiStream } from "./openai-stream.ts"
import { type ApiOperation, relayedOperation } from "./operation.ts"
import { mayHaveUnreadableItems, toReadableInput } from "./readable-input.ts"

const withReadableInput = (fields: Fields): Fields => {
  const input = toReadableInput(fields)
  return input === fields.input ? fields : { ...fields, input }
}

/** https://platform.openai.com/docs/api-reference/responses/compact */
export const compactionOperation: ApiOperation = {
  ...relayedOperation,
  name: "responses/compact",
  api: "openai",
  isOptional: true,
  summary: "Replace a conversation by an item that contains its summary",
  body: ResponsesBody,
  response: providerResponse,
  metricName: "responses/compact",
  requiredFields: [],
  format: compactionFormat,
  passThrough: { mayNeedChange: mayHaveUnreadableItems, change: withReadableInput },
  // A provider that has compaction keeps more of the conversation than a summary does.
  prefersPassThrough: true,
  fileMember: "input",
  refersToResponses: true,
  stream: openaiStream,
}

import { providerResponse, TextCompletionBody } from "../schema.ts"
import { openaiStream } from "./openai-stream.ts"
import { type ApiOperation, relayedOperation } from "./operation.ts"

export const completionsOperation: ApiOperation = {
  ...relayedOperation,
  name: "completions",
  api: "openai",
  summary: "Create a text completion (legacy)",
  body: TextCompletionBody,
  response: providerResponse,
  metricName: "text_completion",
  requiredFields: [],
  hasUsageOption: true,
  stream: openaiStream,
}

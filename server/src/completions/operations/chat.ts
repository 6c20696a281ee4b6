import { ChatCompletionBody, providerResponse } from "../schema.ts"
import { openaiStream } from "./openai-stream.ts"
import { type ApiOperation, relayedOperation } from "./operation.ts"

/** The canonical operation: what others are converted to, and what functions and filters read. */
export const chatOperation: ApiOperation = {
  ...relayedOperation,
  name: "chat/completions",
  api: "openai",
  summary: "Create a chat completion",
  body: ChatCompletionBody,
  response: providerResponse,
  metricName: "chat",
  requiredFields: ["messages"],
  isChatCompletion: true,
  hasUsageOption: true,
  stream: openaiStream,
}

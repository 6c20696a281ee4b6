import { ChatCompletionBody } from "../schema.ts"
import { openaiOperation } from "./openai-operation.ts"
import type { ApiOperation } from "./operation.ts"

/** The canonical operation: what others are converted to, and what functions and filters read. */
export const chatOperation: ApiOperation = {
  ...openaiOperation,
  name: "chat/completions",
  summary: "Create a chat completion",
  body: ChatCompletionBody,
  metricName: "chat",
  requiredFields: ["messages"],
  isChatCompletion: true,
  hasUsageOption: true,
  outputFields: ["max_tokens", "max_completion_tokens"],
}

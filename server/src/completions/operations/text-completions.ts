import { TextCompletionBody } from "../schema.ts"
import { openaiOperation } from "./openai-operation.ts"
import type { ApiOperation } from "./operation.ts"

export const textCompletionsOperation: ApiOperation = {
  ...openaiOperation,
  name: "completions",
  summary: "Create a text completion (legacy)",
  body: TextCompletionBody,
  metricName: "text_completion",
  hasUsageOption: true,
}

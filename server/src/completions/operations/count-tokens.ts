import type { RequestContext } from "../../http/request-context.ts"
import { ResponseWriter } from "../../http/response-writer.ts"
import { TokenCount } from "../schema.ts"
import { messagesOperation } from "./messages.ts"
import type { ApiOperation } from "./operation.ts"

const sendTokenCount = (context: RequestContext, input_tokens: number): void => {
  const writer = new ResponseWriter(context)
  const body = Buffer.from(JSON.stringify({ input_tokens }))
  writer.head(200, ["content-type", "application/json", "content-length", `${body.length}`])
  writer.end(body)
}

/** https://platform.claude.com/docs/en/api/messages-count-tokens */
export const countTokensOperation: ApiOperation = {
  ...messagesOperation,
  name: "messages/count_tokens",
  summary: "Count the input tokens of a message; an estimate unless the provider counts them",
  response: { schema: TokenCount, description: "The number of tokens" },
  // Counting uses none.
  recordsUsage: false,
  sendTokenEstimate: sendTokenCount,
}

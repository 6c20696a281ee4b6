import { mayBeMissing } from "../connections/operation-support.ts"
import type { RequestContext } from "../http/request-context.ts"
import { ResponseWriter } from "../http/response-writer.ts"
import { CompletionRelay } from "./relay.ts"
import { messagesRelayFormat } from "./relay-format.ts"
import type { ResponseHead } from "./response-consumer.ts"
import type { ErrorReply } from "./upstream-response.ts"

/** Responds with a number of tokens, as Anthropic's API does. */
export const sendTokenCount = (exchange: RequestContext, input_tokens: number): void => {
  const writer = new ResponseWriter(exchange)
  const body = Buffer.from(JSON.stringify({ input_tokens }))
  writer.head(200, ["content-type", "application/json", "content-length", `${body.length}`])
  writer.end(body)
}

/** Relays a provider's count, unless the provider does not count tokens. */
export class TokenCountRelay extends CompletionRelay {
  /** Whether the provider does not count tokens, so that no response was sent. */
  isUnanswered = false

  constructor(exchange: RequestContext) {
    super(exchange, { format: messagesRelayFormat })
  }

  override onErrorReply(error: ErrorReply, head: ResponseHead): void {
    if (mayBeMissing(error.status)) this.isUnanswered = true
    else super.onErrorReply(error, head)
  }
}

import { mayBeMissing } from "../connections/operation-support.ts"
import { CompletionRelay } from "./relay.ts"
import type { ResponseHead } from "./response-consumer.ts"
import type { ErrorReply } from "./upstream-response.ts"

/** Relays a provider's count, unless the provider does not count tokens. */
export class TokenCountRelay extends CompletionRelay {
  /** Whether the provider does not count tokens, so that no response was sent. */
  isUnanswered = false

  override onErrorReply(error: ErrorReply, head: ResponseHead): void {
    if (mayBeMissing(error.status)) this.isUnanswered = true
    else super.onErrorReply(error, head)
  }
}

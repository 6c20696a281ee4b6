import { idempotencyHeader, scopeIdempotencyKey } from "../../connections/idempotency-key.ts"
import type { Caller } from "../../http/caller.ts"
import type { RequestContext } from "../../http/request-context.ts"

/**
 * Client headers that are forwarded to upstreams. All others are dropped, including the
 * organization and project, which would not match the gateway's API key.
 */
const forwardedNames =
  /^(openai-beta|anthropic-beta|idempotency-key|traceparent|tracestate|accept)$/

export const forwardedClientHeaders = (
  { incoming }: RequestContext,
  caller: Caller,
): Record<string, string> => {
  const forwarded: Record<string, string> = {}
  for (const name in incoming.headers) {
    const value = incoming.headers[name]
    if (typeof value !== "string" || !forwardedNames.test(name)) continue
    forwarded[name] = name === idempotencyHeader ? scopeIdempotencyKey(caller, value) : value
  }
  return forwarded
}

import type { Exchange } from "../http/request-context.ts"

/**
 * Headers of the client's that upstreams may want; everything else stays here, an organization or a
 * project too: they would have to go with our key.
 */
const passedOn = /^(openai-beta|anthropic-beta|idempotency-key|traceparent|tracestate|accept)$/

export const clientHeaders = ({ incoming }: Exchange): Record<string, string> => {
  const passed: Record<string, string> = {}
  for (const name in incoming.headers) {
    const value = incoming.headers[name]
    if (typeof value === "string" && passedOn.test(name)) passed[name] = value
  }
  return passed
}

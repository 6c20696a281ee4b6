import type { RequestOutcome } from "./schema.ts"

/**
 * The usage outcome of a provider's error status: the request's fault below 500, the provider's
 * otherwise. A provider that is rate limited (429) has failed, whatever the request was.
 */
export const outcomeOfErrorStatus = (status: number): RequestOutcome =>
  status < 500 && status !== 429 ? "refused_request" : "upstream_error"

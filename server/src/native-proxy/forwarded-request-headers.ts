import type { IncomingMessage } from "node:http"
import { credentialHeaders } from "../auth/credential-source.ts"
import { idempotencyHeader, scopeIdempotencyKey } from "../connections/idempotency-key.ts"
import type { Caller } from "../http/caller.ts"
import { isHopByHop } from "../http/response-writer.ts"

const strippedHeaders = new Set<string>([
  ...credentialHeaders,
  "host",
  "content-length",
  "accept-encoding",
  "expect",
  "forwarded",
])

/**
 * The client's own account, which would not match the gateway's key, credentials for others, and
 * what proxies in front of the gateway report about the client and its user.
 */
const privateNames = [
  /^openai-(?:organization|project)$/,
  /(?:^|-)(?:api-?key|token|secret|password|authorization|assertion)$/,
  /^(?:x-forwarded|x-auth-request|x-amzn-oidc|x-goog-iap|x-goog-authenticated|x-ms-client)-/,
  /^(?:cf|remote|tailscale|true-client|x-client|x-real|x-remote|x-user)-/,
]

const isWithheld = (name: string): boolean =>
  strippedHeaders.has(name) || privateNames.some((pattern) => pattern.test(name))

/** The client's headers without hop-by-hop headers, credentials, and what only the gateway needs. */
export const forwardedRequestHeaders = (
  { headers }: IncomingMessage,
  caller: Caller,
): Record<string, string | string[]> => {
  const forwarded: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || isWithheld(name)) continue
    if (!isHopByHop(name, headers.connection)) forwarded[name] = value
  }
  const key = forwarded[idempotencyHeader]
  if (typeof key === "string") forwarded[idempotencyHeader] = scopeIdempotencyKey(caller, key)
  return forwarded
}

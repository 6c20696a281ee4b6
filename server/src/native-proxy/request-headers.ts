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
  "x-real-ip",
])

/** The client's headers without credentials and hop-by-hop headers. */
export const forwardedRequestHeaders = (
  { headers }: IncomingMessage,
  caller: Caller,
): Record<string, string | string[]> => {
  const forwarded: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || strippedHeaders.has(name) || name.startsWith("x-forwarded-"))
      continue
    if (!isHopByHop(name, headers.connection)) forwarded[name] = value
  }
  const key = forwarded[idempotencyHeader]
  if (typeof key === "string") forwarded[idempotencyHeader] = scopeIdempotencyKey(caller, key)
  return forwarded
}

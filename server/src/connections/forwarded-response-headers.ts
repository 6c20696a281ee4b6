import { headerOf } from "@portico/http1"
import { isHopByHop } from "../http/response-writer.ts"

/**
 * The only headers that are forwarded from an upstream to a client. Others could act on the
 * gateway's origin (cookies, CORS, service workers, redirects) or instruct a proxy in front of it
 * (`X-Accel-Redirect`).
 */
const forwardedNames = new Set([
  ...["content-type", "content-encoding", "content-language", "content-disposition"],
  ...["content-range", "accept-ranges", "etag", "last-modified"],
  ...["retry-after", "retry-after-ms", "x-should-retry", "request-id"],
])
const forwardedPrefixes = ["openai-", "anthropic-"]
/** Limits of that account are not those of the caller. */
const limitPrefix = "anthropic-ratelimit-"
/** Identifies the account behind the gateway's credential, which clients must not see. */
const accountHeaders = /^(openai|anthropic)-(organization|project)/

const isForwarded = (name: string): boolean =>
  forwardedNames.has(name) ||
  (forwardedPrefixes.some((family) => name.startsWith(family)) &&
    !name.startsWith(limitPrefix) &&
    !accountHeaders.test(name))

/** Types that no browser renders or executes, whatever the bytes are. */
const inertTypes = new Set(["application/json", "application/x-ndjson", "text/event-stream"])

/** Isolates any other response in an opaque origin, and disables content sniffing. */
const sandboxHeaders = ["content-security-policy", "sandbox", "x-content-type-options", "nosniff"]

const maxCachedNames = 1000
const memoize = <T>(find: (text: string) => T): ((text: string) => T) => {
  const found = new Map<string, T>()
  return (text) => {
    const cached = found.get(text)
    if (cached !== undefined) return cached
    const computed = find(text)
    if (found.size < maxCachedNames && text.length < 100) found.set(text, computed)
    return computed
  }
}

/** Upstreams use few distinct names and types. An empty string means the header is dropped. */
const forwardedName = memoize((name) => {
  const lower = name.toLowerCase()
  return isForwarded(lower) ? lower : ""
})
/** Two content types in one response form a list, which is not inert. */
const isInert = memoize((type) => inertTypes.has(type.split(";", 1)[0]?.trim().toLowerCase() ?? ""))

/**
 * The headers to forward from an upstream's response: lower-case names and values in turn. The
 * body's length is left out; whoever sends the body sets it.
 */
export const forwardedResponseHeaders = (rawHeaders: readonly string[]): string[] => {
  const forwarded: string[] = []
  const connection = headerOf(rawHeaders, "connection")
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = forwardedName(rawHeaders[at] ?? "")
    if (name === "" || (connection !== null && isHopByHop(name, connection))) continue
    forwarded.push(name, rawHeaders[at + 1] ?? "")
  }
  const type = headerOf(forwarded, "content-type")
  if (type === null || !isInert(type)) forwarded.push(...sandboxHeaders)
  return forwarded
}

import { endsHere } from "../http/response-writer.ts"
import { headerOf } from "../outbound/response-head.ts"

/**
 * The only headers that are forwarded from an upstream to a client. Others could act on the
 * gateway's origin (cookies, CORS, service workers, redirects) or instruct a proxy in front of it
 * (`X-Accel-Redirect`).
 */
const passing = new Set([
  ...["content-type", "content-encoding", "content-language", "content-disposition"],
  ...["content-range", "accept-ranges", "etag", "last-modified"],
  ...["retry-after", "retry-after-ms", "x-should-retry", "request-id"],
])
const passingFamilies = ["openai-", "anthropic-", "x-ratelimit-"]
/** Identifies the account behind the gateway's credential, which clients must not see. */
const ofTheAccount = /^(openai|anthropic)-(organization|project)/

const passes = (name: string): boolean =>
  passing.has(name) ||
  (passingFamilies.some((family) => name.startsWith(family)) && !ofTheAccount.test(name))

/** Types that no browser renders or executes, whatever the bytes are. */
const inert = new Set(["application/json", "application/x-ndjson", "text/event-stream"])

/** Isolates any other response in an opaque origin, and disables content sniffing. */
const sandboxed = ["content-security-policy", "sandbox", "x-content-type-options", "nosniff"]

const maxCachedNames = 1000
const known = <T>(find: (text: string) => T): ((text: string) => T) => {
  const found = new Map<string, T>()
  return (text) => {
    const before = found.get(text)
    if (before !== undefined) return before
    const made = find(text)
    if (found.size < maxCachedNames && text.length < 100) found.set(text, made)
    return made
  }
}

/** Upstreams use few distinct names and types. An empty string means the header is dropped. */
const passingName = known((name) => {
  const lower = name.toLowerCase()
  return passes(lower) ? lower : ""
})
/** Two content types in one response form a list, which is not inert. */
const isInert = known((type) => inert.has(type.split(";", 1)[0]?.trim().toLowerCase() ?? ""))

/**
 * The headers to forward from an upstream's response: lower-case names and values in turn. The
 * body's length is left out; whoever sends the body sets it.
 */
export const passedHeaders = (rawHeaders: readonly string[]): string[] => {
  const passed: string[] = []
  const connection = headerOf(rawHeaders, "connection")
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = passingName(rawHeaders[at] ?? "")
    if (name === "" || (connection !== null && endsHere(name, connection))) continue
    passed.push(name, rawHeaders[at + 1] ?? "")
  }
  const type = headerOf(passed, "content-type")
  if (type === null || !isInert(type)) passed.push(...sandboxed)
  return passed
}

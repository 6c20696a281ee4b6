import { endsHere } from "../http/response-writer.ts"
import { headerOf } from "../outbound/response-head.ts"

/**
 * All that passes from an upstream to a client. What is not named here could speak for our origin
 * (cookies, CORS, service workers, redirects) or to a proxy before us (`X-Accel-Redirect`).
 */
const passing = new Set([
  ...["content-type", "content-encoding", "content-language", "content-disposition"],
  ...["content-range", "accept-ranges", "etag", "last-modified"],
  ...["retry-after", "retry-after-ms", "x-should-retry", "request-id"],
])
const passingFamilies = ["openai-", "anthropic-", "x-ratelimit-"]
/** Whose credential it was that the gateway used is nobody's business but its administrators'. */
const ofTheAccount = /^(openai|anthropic)-(organization|project)/

const passes = (name: string): boolean =>
  passing.has(name) ||
  (passingFamilies.some((family) => name.startsWith(family)) && !ofTheAccount.test(name))

/** What no browser shows as a page or runs, whatever the bytes are. */
const inert = new Set(["application/json", "application/x-ndjson", "text/event-stream"])

/** A reply that a browser could take for a page has an origin of its own, and is what it says. */
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

/** Upstreams use few names and types, over and over. An empty name passes nothing. */
const passingName = known((name) => {
  const lower = name.toLowerCase()
  return passes(lower) ? lower : ""
})
/** Two types in one reply are a list here, and inert is neither. */
const isInert = known((type) => inert.has(type.split(";", 1)[0]?.trim().toLowerCase() ?? ""))

/**
 * The headers that a proxied reply takes along from its upstream: names in lower case and values in
 * turn, without the body's length, which is for the one to say who sends the body.
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

/**
 * Why no whole reply came.
 * `unreachable`: no connection could be made; nothing was sent.
 * `reset`: the connection ended before the reply's head.
 * `timeout`: no head within the time allowed.
 * `silence`: the reply's body stopped coming.
 * `broken`: the connection ended within the body, or what came was no HTTP.
 * `unreadable`: it was HTTP, and who listened could make nothing of it.
 */
export type UpstreamErrorKind =
  | "unreachable"
  | "reset"
  | "timeout"
  | "silence"
  | "broken"
  | "unreadable"

/** Thrown by who listens to a reply: why it cannot be read, in words that go on from its provider's. */
export class MalformedResponse extends Error {
  override readonly name = "UnreadableReply"
}

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** Several addresses that all fail are told together, without a word of their own. */
const messageOf = (error: Error): string => {
  const [first] = error instanceof AggregateError ? error.errors : []
  return error.message || (first instanceof Error ? messageOf(first) : error.name)
}

export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind

  constructor(kind: UpstreamErrorKind, cause: Error) {
    super(messageOf(cause), { cause })
    this.name = "UpstreamError"
    this.kind = kind
  }
}

const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EPROTO",
])
const certificateCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

const codeOf = (error: Error): string => {
  if ("code" in error && typeof error.code === "string") return error.code
  const [first] = error instanceof AggregateError ? error.errors : []
  return first instanceof Error ? codeOf(first) : ""
}

/** @param headSeen whether the reply's head had come */
export const classifyUpstreamError = (error: Error, headSeen: boolean): UpstreamError => {
  if (error instanceof UpstreamError) return error
  if (headSeen) return new UpstreamError("broken", error)
  const code = codeOf(error)
  const noConnection =
    unreachableCodes.has(code) || certificateCodes.test(code) || code === "ETIMEDOUT"
  return new UpstreamError(noConnection ? "unreachable" : "reset", error)
}

/**
 * Why there is no complete response.
 * `unreachable`: no connection could be established; nothing was sent.
 * `reset`: the connection ended before a response head, or the request or that head was invalid.
 * `timeout`: no response head within the `firstByte` timeout.
 * `silence`: the response body stalled for longer than the `idle` timeout.
 * `broken`: the connection ended, or sent invalid HTTP, within the body.
 * `unreadable`: the response was valid HTTP, but its listener rejected the content.
 */
export type UpstreamErrorKind =
  | "unreachable"
  | "reset"
  | "timeout"
  | "silence"
  | "broken"
  | "unreadable"

export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** Node reports failures of several addresses as an `AggregateError` with an empty message. */
const messageOf = (error: Error): string => {
  const [first] = error instanceof AggregateError ? error.errors : []
  return error.message || (first instanceof Error ? messageOf(first) : error.name)
}

export class UpstreamError extends Error {
  override readonly name = "UpstreamError"
  readonly kind: UpstreamErrorKind

  constructor(kind: UpstreamErrorKind, cause: Error) {
    super(messageOf(cause), { cause })
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

/** @param hasHead whether the response head has arrived */
export const classifyUpstreamError = (error: Error, hasHead: boolean): UpstreamError => {
  if (error instanceof UpstreamError) return error
  if (hasHead) return new UpstreamError("broken", error)
  const code = codeOf(error)
  const isUnreachable =
    unreachableCodes.has(code) || certificateCodes.test(code) || code === "ETIMEDOUT"
  return new UpstreamError(isUnreachable ? "unreachable" : "reset", error)
}

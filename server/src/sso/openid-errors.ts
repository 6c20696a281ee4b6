import { SignOnRefusal } from "./refusal.ts"
import type { SignOnProblem } from "./schema.ts"

/** The provider did not respond, or responded incorrectly. */
const providerErrorCodes = new Set<unknown>([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
  "ERR_JWKS_TIMEOUT",
  "ERR_JWKS_INVALID",
])

/** What OAuth's error codes (RFC 6749 §4.1.2.1, §5.2) mean to the user who signs in. */
const problemByCode: Record<string, SignOnProblem> = {
  temporarily_unavailable: "provider_unreachable",
  server_error: "provider_unreachable",
  invalid_client: "client_refused",
  unauthorized_client: "client_refused",
  invalid_scope: "client_refused",
  // The code was already used or has expired.
  invalid_grant: "expired",
}

export const readErrorMember = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

const problemOfClientError = (error: unknown): SignOnProblem => {
  const code = readErrorMember(error, "code")
  const problem = problemByCode[String(readErrorMember(error, "error"))]
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return problem ?? "provider_refused"
  if (code === "OAUTH_RESPONSE_BODY_ERROR") return problem ?? "invalid_answer"
  if (code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") return "client_refused"
  if (providerErrorCodes.has(code)) return "provider_unreachable"
  // fetch throws a TypeError if the connection fails.
  return error instanceof TypeError ? "provider_unreachable" : "invalid_answer"
}

/** Converts an error of openid-client or jose to a refusal, which has its own page. */
export const toSignOnRefusal = (error: unknown): SignOnRefusal =>
  error instanceof SignOnRefusal
    ? error
    : new SignOnRefusal(problemOfClientError(error), null, error)

/** Summarizes an error for the log and for administrators; contains no tokens. */
export const summarizeError = (error: unknown): string => {
  const inner = readErrorMember(error, "cause")
  const parts = [
    readErrorMember(error, "error"),
    readErrorMember(error, "error_description"),
    error instanceof Error ? error.message : String(error),
    readErrorMember(inner, "code"),
    inner instanceof Error ? inner.message : undefined,
  ]
  const messages = parts.filter((word) => typeof word === "string" && word !== "")
  return [...new Set(messages)].join(": ").slice(0, 300)
}

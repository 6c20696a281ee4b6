import { Refusal } from "./refusal.ts"
import type { SignOnProblem } from "./schema.ts"

/** The provider did not respond, or responded incorrectly. */
const broken = new Set<unknown>([
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

const memberOf = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

const problemOf = (error: unknown): SignOnProblem => {
  const code = memberOf(error, "code")
  const said = problemByCode[String(memberOf(error, "error"))]
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return said ?? "provider_refused"
  if (code === "OAUTH_RESPONSE_BODY_ERROR") return said ?? "invalid_answer"
  if (code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") return "client_refused"
  if (broken.has(code)) return "provider_unreachable"
  // fetch throws a TypeError if the connection fails.
  return error instanceof TypeError ? "provider_unreachable" : "invalid_answer"
}

/** Converts an error of openid-client or jose to a refusal, which has its own page. */
export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(problemOf(error), null, error)

/** Summarizes an error for the log and for administrators; contains no tokens. */
export const causeInWords = (error: unknown): string => {
  const inner = memberOf(error, "cause")
  const words = [
    memberOf(error, "error"),
    memberOf(error, "error_description"),
    error instanceof Error ? error.message : String(error),
    memberOf(inner, "code"),
    inner instanceof Error ? inner.message : undefined,
  ]
  const said = words.filter((word) => typeof word === "string" && word !== "")
  return [...new Set(said)].join(": ").slice(0, 300)
}

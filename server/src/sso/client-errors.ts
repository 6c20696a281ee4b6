import { Refusal } from "./refusal.ts"
import type { SignOnProblem } from "./schema.ts"

/** The provider did not answer, or not as one that is well. */
const broken = new Set<unknown>([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
  "ERR_JWKS_TIMEOUT",
  "ERR_JWKS_INVALID",
])

/** What OAuth's error codes (RFC 6749 §4.1.2.1, §5.2) mean for who signs in. */
const problemByCode: Record<string, SignOnProblem> = {
  temporarily_unavailable: "provider_unreachable",
  server_error: "provider_unreachable",
  invalid_client: "client_refused",
  unauthorized_client: "client_refused",
  invalid_scope: "client_refused",
  // The code was used before, or it is too old.
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
  // That is what fetch throws when nothing can be reached.
  return error instanceof TypeError ? "provider_unreachable" : "invalid_answer"
}

/** An error of openid-client or jose, as a refusal with a page of its own. */
export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(problemOf(error), null, error)

/** The same in a few words for the log and for administrators; no token is in them. */
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

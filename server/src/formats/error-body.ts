import { type Fields, isObject, numberOf, objectsIn, ownValue, textOf } from "./json-values.ts"

export interface ErrorBody {
  message: string
  /** The provider's own code; `upstream_error` if it has none. */
  code: string
}

/** An error in terms that every format has. */
export interface AnswerError {
  message: string
  /** The provider's own code or type; empty if it has none. */
  code: string
  /** The HTTP status that it corresponds to. */
  status: number
}

/** The messages of Cloudflare, Zhipu, Baidu and MiniMax. */
const otherMessagesIn = (body: Fields): unknown[] => [
  ...objectsIn(body.errors).map(({ message }) => message),
  ...[body.msg, body.error_msg],
  isObject(body.base_resp) ? body.base_resp.status_msg : undefined,
]

/**
 * Reads a provider's error: OpenAI's `{ error: { message, code } }`, Ollama's `{ error }`, FastAPI's
 * `{ detail }` or `{ message }`, and others. Null if it has no message.
 */
export const toErrorBody = (body: Fields): ErrorBody | null => {
  const error = isObject(body.error) ? body.error : body
  const messages = [error.message, body.error, body.detail, body.message, ...otherMessagesIn(body)]
  const message = messages.find((value) => typeof value === "string" && value !== "")
  const code = typeof error.code === "string" && error.code ? error.code : "upstream_error"
  return typeof message === "string" ? { message, code } : null
}

/** The object of a JSON text. Google puts an error into an array. Null if there is none. */
export const parseErrorObject = (text: string): Fields | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : (objectsIn(value)[0] ?? null)
  } catch {
    return null
  }
}

/** `toErrorBody` of JSON text; null for anything else. */
export const readErrorBody = (text: string): ErrorBody | null => {
  const body = parseErrorObject(text)
  return body && toErrorBody(body)
}

/** Codes and types of OpenAI's, Anthropic's and Google's APIs by the status that they come with. */
const statusByName: Record<string, number> = {
  ...{ invalid_request_error: 400, invalid_request: 400, context_length_exceeded: 400 },
  ...{ invalid_prompt: 400, invalid_argument: 400, failed_precondition: 400, bad_request: 400 },
  ...{ content_policy_violation: 400, badrequesterror: 400, authentication_error: 401 },
  ...{ invalid_api_key: 401, unauthenticated: 401, billing_error: 402, permission_error: 403 },
  ...{ permission_denied: 403, not_found_error: 404, not_found: 404, model_not_found: 404 },
  ...{ notfounderror: 404, request_too_large: 413, rate_limit_error: 429 },
  ...{ rate_limit_exceeded: 429, insufficient_quota: 429, resource_exhausted: 429 },
  ...{ too_many_requests: 429, ratelimiterror: 429, server_error: 500, api_error: 500 },
  ...{ internal: 500, internal_server_error: 500, internalservererror: 500 },
  ...{ service_unavailable: 503, unavailable: 503, server_is_overloaded: 503, timeout_error: 504 },
  ...{ deadline_exceeded: 504, overloaded_error: 529 },
}

/** For errors that do not say what they are. */
const unknownStatus = 502

const isErrorStatus = (status: number): boolean => status >= 400 && status < 600

const statusOf = (members: readonly unknown[]): number => {
  const numbers = members.map((value) => numberOf(value) || Number(textOf(value)))
  const named = members.map((value) => ownValue(statusByName, textOf(value).toLowerCase()))
  return (
    numbers.find(isErrorStatus) ?? named.find((status) => status !== undefined) ?? unknownStatus
  )
}

const isSet = (error: unknown): boolean =>
  isObject(error) ? Object.keys(error).length > 0 : textOf(error) !== ""

/** The object that has the error's members; null if the body or event is no error. */
const findError = (body: Fields): Fields | null => {
  const [choice] = objectsIn(body.choices)
  const error = [body.error, choice?.error].find(isSet)
  if (error !== undefined) return isObject(error) ? error : { message: error }
  if (choice || isObject(body.message) || Array.isArray(body.content)) return null
  const isNamed = body.object === "error" || body.type === "error"
  return isNamed || toErrorBody(body) !== null ? body : null
}

/**
 * Reads an error that arrives with a status that means success, as a body or as an event of a stream.
 * Null if it is none.
 */
export const readReportedError = (body: Fields): AnswerError | null => {
  const error = findError(body)
  if (!error) return null
  const { code, type, status, status_code } = error
  const { message } = toErrorBody(error) ?? { message: "" }
  return {
    message: message || "The provider reported an error without a message.",
    code: textOf(code) || textOf(type) || textOf(status),
    status: statusOf([
      ...[code, status, status_code, type],
      ...[body.code, body.status, body.status_code, body.statusCode],
    ]),
  }
}

const secondsIn = (value: unknown): number => {
  const [, digits] = /^(\d+(?:\.\d+)?)s?$/.exec(`${value}`) ?? []
  return Math.ceil(Number(digits ?? 0))
}

/** In how many seconds a request may be repeated, if an error says so in its body; else 0. */
export const retrySecondsOf = (body: Fields): number => {
  const error = findError(body) ?? {}
  const metadata = isObject(error.metadata) ? error.metadata : {}
  const headers = isObject(metadata.headers) ? metadata.headers : {}
  const delays = [
    ...[error, body, metadata].flatMap(({ retry_after, retryAfter }) => [retry_after, retryAfter]),
    ...[metadata.retry_after_seconds, headers["retry-after"], headers["Retry-After"]],
    ...objectsIn(error.details).map(({ retryDelay }) => retryDelay),
  ]
  return delays.map(secondsIn).find((seconds) => seconds > 0) ?? 0
}

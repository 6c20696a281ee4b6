import {
  type Fields,
  isObject,
  numberOf,
  objectOf,
  objectsIn,
  ownValue,
  parseJson,
  textOf,
} from "./json-values.ts"

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

/** Members of an error that hold its message, or something that has it. */
const messageMembers = ["message", "msg", "detail", "error", "errors", "error_msg", "error_message"]
/** The same if its `error` is more than a title. */
const nestedMembers = ["error", ...messageMembers.filter((name) => name !== "error")]
const maxDepth = 5

/** MiniMax reports success and failure in the same members. */
const failureIn = ({ base_resp }: Fields): unknown =>
  isObject(base_resp) && base_resp.status_code !== 0 ? base_resp.status_msg : undefined

const valuesIn = (value: object): unknown[] => {
  if (!isObject(value)) return Object.values(value)
  const names = typeof value.error === "string" ? messageMembers : nestedMembers
  return [...names.map((name) => value[name]), failureIn(value)]
}

/** The message of an error, in any of the forms that providers have; "" if it has none. */
const messageIn = (value: unknown, depth = maxDepth): string => {
  if (typeof value !== "object" || value === null || depth === 0) return textOf(value)
  for (const inner of valuesIn(value)) {
    const message = messageIn(inner, depth - 1)
    if (message !== "") return message
  }
  return ""
}

/** The object that has the members of an error. Google's has a list of causes besides its own. */
export const unwrapError = (body: Fields): Fields => {
  if (isObject(body.error)) return body.error
  const [first] = textOf(body.message) === "" ? objectsIn(body.errors) : []
  return first ?? body
}

/**
 * Reads a provider's error: OpenAI's `{ error: { message, code } }`, Ollama's `{ error }`, FastAPI's
 * `{ detail }`, `{ message }`, and lists of these. Null if it has no message.
 */
export const toErrorBody = (body: Fields): ErrorBody | null => {
  const message = messageIn(body)
  return message === ""
    ? null
    : { message, code: textOf(unwrapError(body).code) || "upstream_error" }
}

/** The object of a JSON text. Google puts an error into an array. Null if there is none. */
export const parseErrorObject = (text: string): Fields | null => {
  const value = parseJson(text)
  return isObject(value) ? value : (objectsIn(value)[0] ?? null)
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

/** Words in the codes and types of others. */
const statusByWord: readonly (readonly [RegExp, number])[] = [
  [/throttl|rate.?limit|too.?many|quota/i, 429],
  [/overload|unavailable|busy/i, 503],
  [/invalid|bad.?request/i, 400],
]

/** For errors that do not say what they are. */
const unknownStatus = 502

const isErrorStatus = (status: number): boolean => status >= 400 && status < 600

const statusOf = (members: readonly unknown[]): number => {
  const numbers = members.map((value) => numberOf(value) || Number(textOf(value)))
  const names = members.map(textOf).filter((name) => name !== "")
  const named = names.map((name) => ownValue(statusByName, name.toLowerCase()))
  const known = numbers.find(isErrorStatus) ?? named.find((status) => status !== undefined)
  const byWord = statusByWord.find(([word]) => names.some((name) => word.test(name)))
  return known ?? byWord?.[1] ?? unknownStatus
}

const isSet = (error: unknown): boolean =>
  isObject(error) ? Object.keys(error).length > 0 : messageIn(error) !== ""

/** The object that has the error's members; null if the body or event is no error. */
const findError = (body: Fields): Fields | null => {
  const [choice] = objectsIn(body.choices)
  const error = [body.error, choice?.error].find(isSet)
  if (isObject(error)) return unwrapError(error)
  if (error !== undefined) return error === body.error ? body : { message: error }
  if (choice || isObject(body.message) || Array.isArray(body.content)) return null
  const isNamed = body.object === "error" || body.type === "error"
  return isNamed || messageIn(body) !== "" ? unwrapError(body) : null
}

/**
 * Reads an error that arrives with a status that means success, as a body or as an event of a stream.
 * Null if it is none.
 */
export const readReportedError = (body: Fields): AnswerError | null => {
  const error = findError(body)
  if (!error) return null
  const { code, type, status, status_code } = error
  return {
    message: messageIn(error) || "The provider reported an error without a message.",
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
  const metadata = objectOf(error.metadata)
  const headers = objectOf(metadata.headers)
  const delays = [
    ...[error, body, metadata].flatMap(({ retry_after, retryAfter }) => [retry_after, retryAfter]),
    ...[metadata.retry_after_seconds, headers["retry-after"], headers["Retry-After"]],
    ...objectsIn(error.details).map(({ retryDelay }) => retryDelay),
  ]
  return delays.map(secondsIn).find((seconds) => seconds > 0) ?? 0
}

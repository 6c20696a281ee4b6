import {
  type MessageOrText,
  type MessageReference,
  mapQuotedTexts,
  toReference,
  toText,
} from "./i18n/message.ts"

/** The gateway's own error codes and their HTTP status. */
const statusByCode = {
  bad_request: 400,
  invalid_json: 400,
  missing_parameter: 400,
  duplicate_parameter: 400,
  unsupported_by_model: 400,
  previous_response_not_found: 400,
  unauthorized: 401,
  wrong_credentials: 401,
  account_pending: 403,
  forbidden: 403,
  signup_disabled: 403,
  password_sign_in_off: 403,
  sign_on_refused: 403,
  not_found: 404,
  model_not_found: 404,
  file_not_found: 404,
  collection_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  file_not_ready: 409,
  limit_reached: 409,
  in_use: 409,
  precondition_failed: 412,
  last_admin: 403,
  body_too_large: 413,
  storage_limit: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  file_lost: 410,
  file_unreadable: 422,
  host_not_allowed: 421,
  invalid: 422,
  upgrade_required: 426,
  rate_limited: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  internal: 500,
  not_implemented: 501,
  function_refused: 400,
  function_failed: 502,
  upstream_unreachable: 502,
  upstream_credentials: 502,
  upstream_broken: 502,
  unavailable: 503,
  no_runtime: 503,
  shutting_down: 503,
  storage_full: 503,
  upstream_timeout: 504,
} as const

export type FailureCode = keyof typeof statusByCode

/** Pages translate the message by its `id`, if it has one. */
export interface FieldError extends Partial<MessageReference> {
  path: string
  message: string
  /** 1-based position in source code. */
  line?: number
  column?: number
}

export interface FailureDetails {
  /** The request parameter at fault (OpenAI's `param`). */
  param?: string
  /** Errors by field, for forms. */
  errors?: FieldError[]
  /** Further members of the body of an error under `/api/v1`, such as `storage` and `in_use`. */
  body?: object
  /** SCIM's detail error keyword (RFC 7644 §3.12). */
  scimType?: string
  /** Response headers, such as `retry-after`. */
  headers?: Record<string, string>
  /** Further headers for clients of an API. */
  headersByStyle?: { openai: Record<string, string>; anthropic: Record<string, string> }
  cause?: unknown
}

/** Of a value that comes from outside, in a message or a log line. */
const maxValueLength = 200
/** Of a whole message. */
const maxMessageLength = 1000
/** Of all paths and messages by field. */
const maxErrorsLength = 1500

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Shortens a text to `max` characters, but not within a character of two code units. */
const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const end = isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max
  return `${text.slice(0, end)}…`
}

/** Shortens a value that comes from outside, and replaces what a terminal may act on. */
export const shortenValue = (value: string): string =>
  cut(value, maxValueLength).replaceAll(/\p{Cc}/gu, "\ufffd")

/** All except line breaks and tabs. JSON needs six characters for each, and a terminal may act on them. */
const controlCharacters = /[^\P{Cc}\n\t]/gu

/** Of a quoted value with its quotes and the punctuation that follows. */
const maxWordLength = maxValueLength + 10

/** Shortens the quoted values and long words of a message, such as paths, and the message itself. */
export const shortenMessage = (text: string): string => {
  const message = text.replaceAll(controlCharacters, "\ufffd")
  if (message.length <= maxValueLength) return message
  const shortened = message.replaceAll(/"[^"]*"/g, (value) =>
    value.length <= maxValueLength + 2 ? value : `"${shortenValue(value.slice(1, -1))}"`,
  )
  const withoutLongWords = shortened.replaceAll(/\S+/g, (word) =>
    word.length <= maxWordLength ? word : shortenValue(word),
  )
  return cut(withoutLongWords, maxMessageLength)
}

/** The first errors that fit; at least one. */
const shortenErrors = (errors: readonly FieldError[]): FieldError[] => {
  const shortened = errors.map(({ path, message, values, ...rest }) => ({
    path: shortenMessage(shortenValue(path)),
    message: shortenMessage(message),
    ...(values && { values: mapQuotedTexts(values, shortenMessage) }),
    ...rest,
  }))
  let length = 0
  return shortened.filter(({ path, message }, index) => {
    length += path.length + message.length
    return index === 0 || length <= maxErrorsLength
  })
}

const shortenDetails = ({ param, errors, ...details }: FailureDetails): FailureDetails => ({
  ...details,
  ...(param !== undefined && { param: shortenMessage(shortenValue(param)) }),
  ...(errors && { errors: shortenErrors(errors) }),
})

const shortenReference = (reference: MessageReference | null): MessageReference | null =>
  reference && { ...reference, values: mapQuotedTexts(reference.values, shortenMessage) }

/**
 * An error whose message is meant for the caller. Each inbound API formats it in its own style. Values
 * that it quotes are shortened, as they may come from the caller, and the message is logged.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly status: (typeof statusByCode)[FailureCode]
  readonly details: FailureDetails
  /** What pages translate the message by; null if they show it in English. */
  readonly reference: MessageReference | null

  /** @param message `translatable("file_empty")` if pages show it */
  constructor(code: FailureCode, message: MessageOrText, details: FailureDetails = {}) {
    super(shortenMessage(toText(message)), { cause: details.cause })
    this.name = "Failure"
    this.code = code
    this.status = statusByCode[code]
    this.details = shortenDetails(details)
    this.reference = shortenReference(toReference(message))
  }
}

/**
 * @param message `translatable("file_empty")` if pages show it
 * @throws {Failure} always
 */
export const fail = (
  code: FailureCode,
  message: MessageOrText,
  details?: FailureDetails,
): never => {
  throw new Failure(code, message, details)
}

export const toFieldError = (path: string, message: MessageOrText): FieldError => ({
  path,
  message: toText(message),
  ...toReference(message),
})

/** @param path the field at fault, from the root of the request's body */
export const failInvalid = (path: string, message: MessageOrText): never =>
  fail("invalid", `${path}: ${toText(message)}`, { errors: [toFieldError(path, message)] })

/**
 * Reports an error for which no request is left to fail. The unhandled rejection is logged by the
 * handler in `run.ts` and does not end the process.
 */
export const reportUnhandled = (error: unknown): void => void Promise.reject(error)

/** For callbacks of sockets, timers and threads, where an exception would end the process. */
export const catchErrors = (work: () => void, failed: (error: unknown) => void): void => {
  try {
    work()
  } catch (error) {
    failed(error)
  }
}

/** What was thrown, as an error. */
export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

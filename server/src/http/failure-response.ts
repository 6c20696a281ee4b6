import { storageFullFailure } from "../db/disk-space.ts"
import { isOutage, storageFailureOf } from "../db/outages.ts"
import { isWriteConflict } from "../db/write-conflicts.ts"
import { Failure } from "../errors.ts"
import type { AnswerError } from "../formats/error-body.ts"
import { messagesErrorType } from "../formats/messages/messages-error-type.ts"
import { type MessageReference, translatable } from "../i18n/message.ts"

/** Error format of a group of routes (see docs/api.md, "Errors"). */
export type ErrorStyle = "api" | "openai" | "anthropic" | "runtime" | "scim"

const openaiTypeByStatus: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
}

/** OpenAI's type of a spent budget is its code. */
const openaiType = (status: number, code: string): string =>
  code === "insufficient_quota"
    ? code
    : (openaiTypeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "server_error"))

const bodies: Record<ErrorStyle, (failure: Failure) => object> = {
  api: ({ message, code, details, reference }) => ({
    detail: message,
    code,
    ...reference,
    ...(details.errors && { errors: details.errors }),
    ...details.body,
  }),
  openai: ({ message, code, status, details }) => ({
    error: { message, type: openaiType(status, code), param: details.param ?? null, code },
    detail: message,
  }),
  anthropic: ({ message, status }) => ({
    type: "error",
    error: { type: messagesErrorType(status), message },
  }),
  runtime: ({ message }) => ({ error: message }),
  scim: ({ message, status, details: { scimType } }) => ({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType && { scimType }),
    detail: message,
  }),
}

/** Some clients of Anthropic's API repeat a request for minutes that has no valid credential. */
const noRetryHeaders = { "x-should-retry": "false" }

export const referenceHeaderName = "x-portico-message"
/** Longer ones are not sent: pages show the English text. */
const maxReferenceLength = 2000

/**
 * What pages translate a message by, for bodies in the format of another API, which has no place for
 * it: JSON in ASCII.
 */
export const referenceHeader = (reference: MessageReference | null): Record<string, string> => {
  if (reference === null) return {}
  const json = JSON.stringify(reference).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
  return json.length > maxReferenceLength ? {} : { [referenceHeaderName]: json }
}

/** Headers of an error response besides its content type. */
export const errorHeaders = (
  style: ErrorStyle,
  { status, details, reference }: Failure,
): Record<string, string> => ({
  ...(status === 401 && { "www-authenticate": "Bearer" }),
  ...(status === 401 && style === "anthropic" && noRetryHeaders),
  ...(style !== "api" && referenceHeader(reference)),
  ...details.headers,
  ...((style === "openai" || style === "anthropic") && details.headersByStyle?.[style]),
})

/** Renders a failure as a JSON body in the format `style`. */
export const errorBody = (style: ErrorStyle, failure: Failure): string =>
  JSON.stringify(bodies[style](failure))

/** Reports a failure within a stream of server-sent events, as OpenAI-style providers do. */
export const errorEvent = ({ message, code, status }: AnswerError): string => {
  const error = { message, type: openaiType(status, code), param: null, code }
  return `data: ${JSON.stringify({ error })}\n\n`
}

export const contentTypeOf = (style: ErrorStyle): string =>
  style === "scim" ? "application/scim+json" : "application/json"

const storageFailureMessage =
  "The gateway cannot write to its storage, so this change may not have been saved. Contact your administrator; see the gateway's log for details."

/** Converts any error to a failure for the caller; internal error messages are never exposed. */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  const storageFailure = storageFailureOf(error)
  if (storageFailure === "full") return storageFullFailure(error)
  if (storageFailure === "broken") {
    return new Failure("unavailable", storageFailureMessage, {
      headers: { "retry-after": "10" },
      cause: error,
    })
  }
  if (isOutage(error)) {
    return new Failure("unavailable", translatable("database_unreachable"), {
      headers: { "retry-after": "2" },
      cause: error,
    })
  }
  if (isWriteConflict(error)) {
    return new Failure("conflict", translatable("changed_by_someone_else"), {
      cause: error,
    })
  }
  return new Failure("internal", translatable("internal_error"), {
    cause: error,
  })
}

export const errorResponse = (style: ErrorStyle, failure: Failure): Response =>
  new Response(errorBody(style, failure), {
    status: failure.status,
    headers: {
      "content-type": contentTypeOf(style),
      ...errorHeaders(style, failure),
    },
  })

import { isOutage, storageFailureOf } from "../db/connection-errors.ts"
import { storageFullFailure } from "../db/disk-space.ts"
import { isWriteConflict } from "../db/write-conflicts.ts"
import { Failure } from "../errors.ts"
import type { AnswerError } from "../formats/error-body.ts"
import { messagesErrorType } from "../formats/messages/error-types.ts"

/** Error format of a group of routes (see docs/api.md, "Errors"). */
export type ErrorStyle = "api" | "openai" | "anthropic" | "runtime" | "scim"

const openaiTypeByStatus: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
}

const openaiType = (status: number): string =>
  openaiTypeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "server_error")

const bodies: Record<ErrorStyle, (failure: Failure) => object> = {
  api: ({ message, code, details }) => ({
    detail: message,
    code,
    ...(details.errors && { errors: details.errors }),
    ...(details.storage && { storage: details.storage }),
    ...(details.in_use && { in_use: details.in_use }),
  }),
  openai: ({ message, code, status, details }) => ({
    error: { message, type: openaiType(status), param: details.param ?? null, code },
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

/** Headers of an error response besides its content type. */
export const errorHeaders = (
  style: ErrorStyle,
  { status, details }: Failure,
): Record<string, string> => ({
  ...(status === 401 && { "www-authenticate": "Bearer" }),
  ...(status === 401 && style === "anthropic" && noRetryHeaders),
  ...details.headers,
})

/** Renders a failure as a JSON body in the format `style`. */
export const errorBody = (style: ErrorStyle, failure: Failure): string =>
  JSON.stringify(bodies[style](failure))

/** Reports a failure within a stream of server-sent events, as OpenAI-style providers do. */
export const errorEvent = ({ message, code, status }: AnswerError): string => {
  const error = { message, type: openaiType(status), param: null, code }
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
    return new Failure("unavailable", "The gateway cannot reach its database. Try again shortly.", {
      headers: { "retry-after": "2" },
      cause: error,
    })
  }
  if (isWriteConflict(error)) {
    return new Failure("conflict", "This was changed by someone else. Try again.", {
      cause: error,
    })
  }
  return new Failure("internal", "Internal error. See the gateway's log for details.", {
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

import type { Json, JsonObject } from "./json.ts"
import { type FullResponse, jsonResponse } from "./responses.ts"

type ErrorFields = { message: string; param?: string; code?: string }

const errorResponse = (status: number, { message, param, code }: ErrorFields): FullResponse => {
  const error: JsonObject = { message, type: "invalid_request_error" }
  error.param = param ?? null
  error.code = code ?? null
  return jsonResponse(status, { error })
}

export const invalidKeyError = (key: string): FullResponse => {
  if (key === "") {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header " +
      "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    return errorResponse(401, { message })
  }
  const masked = key.length < 9 ? "*".repeat(key.length) : `${key.slice(0, 8)}****${key.slice(-4)}`
  return errorResponse(401, {
    message:
      `Incorrect API key provided: ${masked}. You can find your API key at ` +
      "https://platform.openai.com/account/api-keys.",
    code: "invalid_api_key",
  })
}

export const invalidJsonError = (): FullResponse =>
  errorResponse(400, { message: "We could not parse the JSON body of your request." })

export const missingModelError = (): FullResponse =>
  errorResponse(400, { message: "you must provide a model parameter" })

export const missingParameterError = (param: string): FullResponse =>
  errorResponse(400, {
    message: `Missing required parameter: '${param}'.`,
    param,
    code: "missing_required_parameter",
  })

export const invalidTypeError = (param: string, found: Json): FullResponse =>
  errorResponse(400, {
    message: `Invalid type for '${param}': got ${JSON.stringify(found)}.`,
    param,
    code: "invalid_type",
  })

export const modelNotFoundError = (model: string): FullResponse =>
  errorResponse(404, {
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: "model_not_found",
  })

export const unknownPathError = (method: string, path: string): FullResponse =>
  errorResponse(404, { message: `Invalid URL (${method} ${path})` })

export const methodNotAllowedError = (method: string, path: string): FullResponse =>
  errorResponse(405, {
    message: `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    code: "method_not_supported",
  })

import { json, type Whole } from "./answers.ts"
import type { Json, JsonObject } from "./json.ts"

type Refusal = { message: string; param?: string; code?: string }

const refuse = (status: number, { message, param, code }: Refusal): Whole => {
  const error: JsonObject = { message, type: "invalid_request_error" }
  error.param = param ?? null
  error.code = code ?? null
  return json(status, { error })
}

export const badKey = (key: string): Whole => {
  if (key === "") {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header " +
      "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    return refuse(401, { message })
  }
  const masked = key.length < 9 ? "*".repeat(key.length) : `${key.slice(0, 8)}****${key.slice(-4)}`
  return refuse(401, {
    message:
      `Incorrect API key provided: ${masked}. You can find your API key at ` +
      "https://platform.openai.com/account/api-keys.",
    code: "invalid_api_key",
  })
}

export const notJson = (): Whole =>
  refuse(400, { message: "We could not parse the JSON body of your request." })

export const noModel = (): Whole => refuse(400, { message: "you must provide a model parameter" })

export const missing = (param: string): Whole =>
  refuse(400, {
    message: `Missing required parameter: '${param}'.`,
    param,
    code: "missing_required_parameter",
  })

export const invalid = (param: string, found: Json): Whole =>
  refuse(400, {
    message: `Invalid type for '${param}': got ${JSON.stringify(found)}.`,
    param,
    code: "invalid_type",
  })

export const unknownModel = (model: string): Whole =>
  refuse(404, {
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: "model_not_found",
  })

export const unknownPath = (method: string, path: string): Whole =>
  refuse(404, { message: `Invalid URL (${method} ${path})` })

export const wrongMethod = (method: string, path: string): Whole =>
  refuse(405, {
    message: `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    code: "method_not_supported",
  })

import { type Fields, isObject, parseObject } from "./json-values.ts"

export interface ErrorBody {
  message: string
  /** The provider's own code; `upstream_error` if it has none. */
  code: string
}

/**
 * Reads a provider's error: OpenAI's `{ error: { message, code } }`, Ollama's `{ error }`, FastAPI's
 * `{ detail }` or `{ message }`. Null if it has no message.
 */
export const toErrorBody = (body: Fields): ErrorBody | null => {
  const error = isObject(body.error) ? body.error : body
  const message = [error.message, body.error, body.detail, body.message].find(
    (value) => typeof value === "string" && value !== "",
  )
  const code = typeof error.code === "string" && error.code ? error.code : "upstream_error"
  return typeof message === "string" ? { message, code } : null
}

/** `toErrorBody` of JSON text; null for anything else. */
export const readErrorBody = (text: string): ErrorBody | null => {
  const body = parseObject(text)
  return body && toErrorBody(body)
}

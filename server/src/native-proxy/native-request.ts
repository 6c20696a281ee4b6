import { fail } from "../errors.ts"
import type { JsonBody } from "../http/body-buffer.ts"
import { type JsonObject, parseJsonObject } from "../http/json-object.ts"

/** A JSON body for a native API, with the model that the runtime will read from it. */
export interface NativeRequest extends JsonObject {
  model: string
  /** The key of the field that names the model. */
  modelKey: string
  streamed: boolean
}

/** Ollama ignores the case of keys and uses `name` if `model` is empty. */
const modelOf = (fields: Record<string, unknown>): { key: string; model: string } | null => {
  for (const fieldName of ["model", "name"]) {
    const key = Object.keys(fields).find((candidate) => candidate.toLowerCase() === fieldName)
    const value = key === undefined ? undefined : fields[key]
    if (key !== undefined && typeof value === "string" && value !== "") {
      return { key, model: value }
    }
  }
  return null
}

/** @throws {Failure} `invalid_json`, `duplicate_parameter`, `missing_parameter` */
export const parseNativeRequest = (body: JsonBody): NativeRequest => {
  const object = parseJsonObject(body)
  const { fields } = object
  const found = modelOf(fields)
  if (!found) return fail("missing_parameter", "model is required")
  const stream = Object.keys(fields).find((key) => key.toLowerCase() === "stream")
  const streamed = stream !== undefined && fields[stream] === true
  return { ...object, model: found.model, modelKey: found.key, streamed }
}

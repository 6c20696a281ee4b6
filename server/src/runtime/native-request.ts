import { fail } from "../errors.ts"
import { parseJson } from "../http/body.ts"
import { type Member, members, refuseTwins, splice } from "../http/members.ts"

/** A JSON body for a native API, with the model that the runtime will read from it. */
export interface NativeRequest {
  bytes: Buffer
  members: readonly Member[]
  model: string
  /** The member that named it. */
  modelKey: string
  streamed: boolean
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The runtime ignores the case of keys, and takes `name` where `model` is empty. */
const modelOf = (fields: Record<string, unknown>): { key: string; model: string } | null => {
  for (const wanted of ["model", "name"]) {
    const key = Object.keys(fields).find((candidate) => candidate.toLowerCase() === wanted)
    const value = key === undefined ? undefined : fields[key]
    if (key !== undefined && typeof value === "string" && value !== "") {
      return { key, model: value }
    }
  }
  return null
}

/** @throws {Failure} `invalid_json`, `duplicate_parameter`, `missing_parameter` */
export const readNative = (bytes: Buffer): NativeRequest => {
  const fields = parseJson(bytes)
  if (!isObject(fields)) return fail("invalid_json", "The body must be a JSON object")
  const found = members(bytes)
  refuseTwins(found)
  const named = modelOf(fields)
  if (!named) return fail("missing_parameter", "model is required: name a model in the body")
  const streamed = Object.entries(fields).some(
    ([key, value]) => key.toLowerCase() === "stream" && value === true,
  )
  return { bytes, members: found, model: named.model, modelKey: named.key, streamed }
}

/** The same body under the connection's own name for the model. */
export const renamed = (request: NativeRequest, model: string): Buffer =>
  splice(request.bytes, request.members, new Map([[request.modelKey, JSON.stringify(model)]]))

import { Failure, fail } from "../errors.ts"
import { maxDepth, parseJson, readJson, unstorableIn, unstorablePath } from "../http/body.ts"
import type { BodyLimits, JsonBody } from "../http/body-buffer.ts"
import type { Exchange, NodeExchange } from "../http/request-context.ts"
import { refuse } from "./errors.ts"

/** Large enough for a group of about 50,000 members in one body. */
export const maxBytes = 8_000_000
const deepest = 16

const depthOf = (value: unknown, depth = 0): void => {
  if (depth > deepest)
    refuse("invalidSyntax", `The body is nested too deeply (maximum ${deepest} levels).`)
  if (typeof value !== "object" || value === null) return
  for (const inner of Object.values(value)) depthOf(inner, depth + 1)
}

const limits: BodyLimits = { maxBytes: maxBytes, maxValues: 500_000, maxMembers: 1000, maxDepth }

const inScimWords = (error: unknown): never => {
  if (error instanceof Failure && error.code === "invalid_json") {
    return refuse("invalidSyntax", error.message)
  }
  throw error
}

const parsed = (body: JsonBody): unknown => {
  try {
    return parseJson(body)
  } catch (error) {
    return inScimWords(error)
  }
}

/**
 * Reads a JSON body, ignoring its Content-Type. @throws {Failure} `invalidSyntax`, `invalidValue`
 */
export const readBody = async ({ incoming }: NodeExchange): Promise<unknown> => {
  const body = await readJson(incoming, limits).catch(inScimWords)
  const value = parsed(body)
  depthOf(value)
  const path = unstorableIn(body.bytes, value)
  if (path !== null) refuse("invalidValue", `${path} must not contain U+0000 or lone surrogates.`)
  return value
}

/** The query, form-decoded (`+` is a space). */
export const queryOf = ({ incoming }: Exchange): URLSearchParams => {
  const { url = "" } = incoming
  const mark = url.indexOf("?")
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
  const path = unstorablePath(Object.fromEntries(query))
  if (path !== null)
    fail("bad_request", `${path} must not contain U+0000.`, { scimType: "invalidValue" })
  return query
}

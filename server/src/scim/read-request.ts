import { failScim } from "@portico/scim"
import { Failure, fail } from "../errors.ts"
import {
  findUnstorableInBody,
  findUnstorablePath,
  maxDepth,
  parseJsonBody,
  readJson,
} from "../http/body.ts"
import type { BodyLimits, JsonBody } from "../http/body-buffer.ts"
import type { NodeRequestContext, RequestContext } from "../http/request-context.ts"
import { encodePlusSigns } from "./encode-plus-signs.ts"

/** Large enough for a group of about 50,000 members in one body. */
export const maxBodyBytes = 8_000_000
const maxNesting = 16

const checkDepth = (value: unknown, depth = 0): void => {
  if (depth > maxNesting)
    failScim("invalidSyntax", `The body is nested too deeply (maximum ${maxNesting} levels).`)
  if (typeof value !== "object" || value === null) return
  for (const inner of Object.values(value)) checkDepth(inner, depth + 1)
}

const limits: BodyLimits = {
  maxBytes: maxBodyBytes,
  maxValues: 500_000,
  maxMembers: 1000,
  maxDepth,
}

const toScimError = (error: unknown): never => {
  if (error instanceof Failure && error.code === "invalid_json") {
    return failScim("invalidSyntax", error.message)
  }
  throw error
}

const parseBody = (body: JsonBody): unknown => {
  try {
    return parseJsonBody(body)
  } catch (error) {
    return toScimError(error)
  }
}

/**
 * Reads a JSON body, ignoring its Content-Type. @throws {ScimError} `invalidSyntax`, `invalidValue`
 */
export const readScimBody = async ({ incoming }: NodeRequestContext): Promise<unknown> => {
  const body = await readJson(incoming, limits).catch(toScimError)
  const value = parseBody(body)
  checkDepth(value)
  const path = findUnstorableInBody(body.bytes, value)
  if (path !== null) failScim("invalidValue", `${path} must not contain U+0000 or lone surrogates.`)
  return value
}

/** The query, form-decoded: `+` is a space, except in quoted values of a filter. */
export const parseScimQuery = ({ incoming }: RequestContext): URLSearchParams => {
  const { url = "" } = incoming
  const mark = url.indexOf("?")
  const query = new URLSearchParams(mark < 0 ? "" : encodePlusSigns(url.slice(mark + 1)))
  const path = findUnstorablePath(Object.fromEntries(query))
  if (path !== null)
    fail("bad_request", `${path} must not contain U+0000.`, { scimType: "invalidValue" })
  return query
}

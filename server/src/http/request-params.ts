import type { z } from "zod"
import { fail } from "../errors.ts"
import { findUnstorablePath } from "./body.ts"
import type { HttpContext } from "./request-context.ts"
import { validate } from "./validate.ts"

/** @throws {Failure} `invalid` if a text contains a character that no database stores */
export const rejectUnstorable = (path: string | null): void => {
  if (path === null) return
  const message = "contains U+0000 or a lone surrogate, which cannot be stored"
  fail("invalid", `${path} ${message}`, { errors: [{ path, message }] })
}

/**
 * Parses the parameters of a path. A name that nothing can have is one under which nothing is found.
 * @throws {Failure} `not_found`
 */
export const parseParams = <T extends z.ZodType>(schema: T, params: unknown): z.output<T> => {
  const result = findUnstorablePath(params) === null ? schema.safeParse(params) : undefined
  return result?.success ? result.data : fail("not_found", "Not found")
}

/** Parses the query string. @throws {Failure} `invalid` */
export const parseQuery = <T extends z.ZodType>(schema: T, context: HttpContext): z.output<T> => {
  const query = context.req.query()
  rejectUnstorable(findUnstorablePath(query))
  return validate(schema, query)
}

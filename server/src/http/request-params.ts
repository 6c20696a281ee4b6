import type { z } from "zod"
import { fail } from "../errors.ts"
import { findUnstorablePath } from "./body.ts"
import type { HonoContext } from "./request-context.ts"
import { validate } from "./validate.ts"

/**
 * @param path of the first unstorable text, from `findUnstorablePath`; null if there is none
 * @throws {Failure} `invalid`
 */
export const rejectUnstorable = (path: string | null): void => {
  if (path === null) return
  const message = "contains U+0000 or a lone surrogate, which cannot be stored"
  fail("invalid", `${path} ${message}`, { errors: [{ path, message }] })
}

/**
 * Parses path parameters. An invalid value cannot identify anything, so the result is a 404.
 * @throws {Failure} `not_found`
 */
export const parseParams = <T extends z.ZodType>(schema: T, params: unknown): z.output<T> => {
  const result = findUnstorablePath(params) === null ? schema.safeParse(params) : undefined
  return result?.success ? result.data : fail("not_found", "Not found")
}

/** Parses the query string. @throws {Failure} `invalid` */
export const parseQuery = <T extends z.ZodType>(
  schema: T,
  honoContext: HonoContext,
): z.output<T> => {
  const query = honoContext.req.query()
  rejectUnstorable(findUnstorablePath(query))
  return validate(schema, query)
}

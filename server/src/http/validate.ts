import type { z } from "zod"
import { type FieldError, fail, toFieldError } from "../errors.ts"
import { describeIssue, messageOfIssue } from "./issue-messages.ts"

/** More would not help, and a body can have 100,000 errors. */
const maxErrors = 20
const maxPathLength = 200

const fieldErrors = (error: z.ZodError, prefix: readonly PropertyKey[]): FieldError[] =>
  error.issues.slice(0, maxErrors).map((issue) => {
    const path = [...prefix, ...issue.path].join(".").slice(0, maxPathLength)
    return toFieldError(path, messageOfIssue(issue))
  })

/**
 * Parses a value with `schema`.
 * @param prefix path of the value in the body
 * @throws {Failure} `invalid`, with one entry per invalid field, at most 20
 */
export const validate = <T extends z.ZodType>(
  schema: T,
  value: unknown,
  prefix: readonly PropertyKey[] = [],
): z.output<T> => {
  const result = schema.safeParse(value, { error: describeIssue })
  if (result.success) return result.data
  const errors = fieldErrors(result.error, prefix)
  const sentences = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  return fail("invalid", sentences.join(" "), { errors })
}

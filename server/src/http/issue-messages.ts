import type { z } from "zod"

type Issue = Parameters<z.core.$ZodErrorMap>[0]
type Limit = number | bigint | undefined

const describeMinimum = (origin: string, minimum: Limit, isInclusive: boolean): string => {
  if (origin === "string") {
    return Number(minimum) === 1 ? "Enter a value." : `Use at least ${minimum} characters.`
  }
  if (origin === "array") {
    return Number(minimum) === 1 ? "Add an entry." : `Add at least ${minimum} entries.`
  }
  return isInclusive ? `Enter a number of at least ${minimum}.` : `Enter a number above ${minimum}.`
}

const describeMaximum = (origin: string, maximum: Limit): string => {
  if (origin === "string") return `Use at most ${maximum} characters.`
  return origin === "array"
    ? `Use at most ${maximum} entries.`
    : `Enter a number of at most ${maximum}.`
}

const textByExpectedType: Record<string, string> = {
  string: "Enter a text.",
  number: "Enter a number.",
  int: "Enter a whole number.",
}

/** A sentence for an issue whose schema has no message of its own; undefined keeps zod's message. */
export const describeIssue = (issue: Issue): string | undefined => {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "Enter a value." : textByExpectedType[issue.expected]
  }
  if (issue.code === "too_small") {
    return describeMinimum(issue.origin, issue.minimum, issue.inclusive !== false)
  }
  if (issue.code === "too_big") return describeMaximum(issue.origin, issue.maximum)
  return undefined
}

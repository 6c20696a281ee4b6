import type { z } from "zod"
import { type MessageOrText, type TranslatableMessage, translatable } from "../i18n/message.ts"

type Issue = Parameters<z.core.$ZodErrorMap>[0]
type Limit = number | bigint

const describeMinimum = (origin: string, minimum: Limit, isInclusive: boolean) => {
  const min = Number(minimum)
  if (origin === "string") {
    return min === 1
      ? translatable("field_required")
      : translatable("field_too_few_characters", { min })
  }
  if (origin === "array") {
    return min === 1
      ? translatable("field_no_entries")
      : translatable("field_too_few_entries", { min })
  }
  return isInclusive
    ? translatable("field_too_small", { min })
    : translatable("field_not_above", { min })
}

const describeMaximum = (origin: string, maximum: Limit) => {
  const max = Number(maximum)
  if (origin === "string") return translatable("field_too_many_characters", { max })
  return origin === "array"
    ? translatable("field_too_many_entries", { max })
    : translatable("field_too_large", { max })
}

const messageByExpectedType: Record<string, TranslatableMessage> = {
  string: translatable("field_not_text"),
  number: translatable("field_not_number"),
  int: translatable("field_not_whole_number"),
}

const describe = (issue: Issue): TranslatableMessage | undefined => {
  if (issue.code === "invalid_type") {
    return issue.input === undefined
      ? translatable("field_required")
      : messageByExpectedType[issue.expected]
  }
  if (issue.code === "too_small") {
    return describeMinimum(issue.origin, issue.minimum, issue.inclusive !== false)
  }
  return issue.code === "too_big" ? describeMaximum(issue.origin, issue.maximum) : undefined
}

/** zod keeps members that an error map adds to an issue. */
const attach = (issue: Issue, found: TranslatableMessage | undefined): string | undefined => {
  issue.translatable = found
  return found?.text
}

/** Describes an issue whose schema has no message of its own; undefined keeps zod's message. */
export const describeIssue = (issue: Issue): string | undefined => attach(issue, describe(issue))

/** The message of a check: `z.string().min(1, withMessage(translatable("name_required")))`. */
export const withMessage = (found: TranslatableMessage): { error: z.core.$ZodErrorMap } => ({
  error: (issue) => attach(issue, found),
})

/** The message of an issue; only a text if zod or a schema wrote it. */
export const messageOfIssue = (issue: z.core.$ZodIssue): MessageOrText => {
  const { translatable } = issue as { translatable?: TranslatableMessage }
  return translatable ?? issue.message
}

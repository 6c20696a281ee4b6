import { type Caller, userIdOf } from "../../http/caller.ts"
import { referenceOf, type TranslatableMessage, translatable } from "../../i18n/message.ts"
import { formatDate, nameOf } from "../admission/limit-failure.ts"
import { appliesTo } from "../own-limits.ts"
import { toSeconds } from "../period-use.ts"
import type { LimitNotice } from "../schema.ts"
import type { LimitWarnings, ReportedUse } from "./limit-warnings.ts"
import { firstShare } from "./warning-level.ts"

/** More would not be read. */
const maxNotices = 5

/** In whole percents: exact figures would show what others use, and the amount. */
const shareOf = ({ spent, amount }: ReportedUse): number =>
  Math.min(1, Math.floor((spent * 100) / amount) / 100)

/**
 * Whoever asks for too much is rejected, which may be long before a limit is used up: this is not
 * the business of the others who share it.
 */
const isRelevant = (use: ReportedUse): boolean =>
  use.limit.target.type === "user" || shareOf(use) >= firstShare

const messageOf = (use: ReportedUse): TranslatableMessage => {
  const { limit, level, resetsAt } = use
  const name = nameOf(limit)
  if (level < 100) {
    return translatable("limit_nearly_used_up", { name, percent: Math.round(shareOf(use) * 100) })
  }
  return resetsAt === null
    ? translatable("limit_used_up", { name })
    : translatable("limit_used_up_until", { name, date: formatDate(resetsAt, limit.time_zone) })
}

/** Without amounts, which may not be the reader's business. */
const toNotice = (use: ReportedUse): LimitNotice => {
  const { limit, period, level, resetsAt } = use
  const message = messageOf(use)
  return {
    id: `${limit.id} ${limit.rolling ? period.series : period.key} ${level}`,
    level: level === 100 ? "reached" : "warning",
    share: shareOf(use),
    resets_at: toSeconds(resetsAt),
    message: message.text,
    message_reference: referenceOf(message),
  }
}

/** What people learn of limits that are nearly used up. */
export const createLimitNotices = ({ warnings }: { warnings: LimitWarnings }) => ({
  /** Those of a user, their groups and everyone, the most used first. */
  ofCaller: (caller: Caller): LimitNotice[] => {
    const userId = userIdOf(caller)
    const found = [
      ...(userId === null ? [] : warnings.warnedOf("user", userId)),
      ...[...caller.groups].flatMap((id) => warnings.warnedOf("group", id)),
      ...warnings.warnedOf("everyone"),
    ]
    return found
      .filter((use) => appliesTo(caller, use.limit) && isRelevant(use))
      .sort((one, other) => shareOf(other) - shareOf(one))
      .slice(0, maxNotices)
      .map(toNotice)
  },

  /** How many limits are reached, and how many nearly. */
  count: (): { reached: number; nearly: number } => {
    const { length: all } = warnings.warned()
    const reached = warnings.warned().filter(({ level }) => level === 100).length
    return { reached, nearly: all - reached }
  },
})

export type LimitNotices = ReturnType<typeof createLimitNotices>

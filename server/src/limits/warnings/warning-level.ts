import type { Period } from "../ledger/periods.ts"

/** The share of a limit, in percent, that is reported; 0 for less. */
export type WarningLevel = 0 | 80 | 100

/** Of the amount; more is worth a warning. */
export const firstShare = 0.8

/**
 * A limit is reached when it rejects a request, too: what requests may use at most seldom fits
 * exactly. One of nothing is a ban, which nobody has to be warned of.
 */
export const levelOf = (
  { spent, amount }: { spent: number; amount: number },
  hasRejected: boolean,
): WarningLevel => {
  if (amount === 0) return 0
  if (hasRejected || spent >= amount) return 100
  return spent >= amount * firstShare ? 80 : 0
}

/** The last warning of a limit. */
export interface LimitWarning {
  /** The series of periods in which it was given. */
  period: string
  level: WarningLevel
  amount: number
  /** Epoch ms; so is `at`. */
  warnedMs: number
}

/** How much of a limit is used now. */
export interface PresentLevel {
  period: Period
  isRolling: boolean
  level: WarningLevel
  amount: number
  at: number
}

/** Whether another period has begun: a rolling window ends when its length has passed. */
const hasEnded = (
  { period: series, warnedMs }: LimitWarning,
  { period, isRolling, at }: PresentLevel,
): boolean =>
  series !== period.series || (isRolling && at - warnedMs >= period.countsUntil - period.endsAt)

/**
 * What to store: a higher level, of which to warn, or a lower one after the amount was raised, so
 * that reaching the higher one is reported again. Null if nothing changes.
 */
export const decideWarning = (
  present: PresentLevel,
  stored: LimitWarning | undefined,
): { level: WarningLevel; isWarning: boolean } | null => {
  const last = stored && !hasEnded(stored, present) ? stored : null
  const lastLevel = last?.level ?? 0
  if (present.level > lastLevel) return { level: present.level, isWarning: true }
  if (present.level === lastLevel || last === null || present.amount === last.amount) return null
  return { level: present.level, isWarning: false }
}

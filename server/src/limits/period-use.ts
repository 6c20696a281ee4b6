import type { WindowTotals } from "./ledger/grant.ts"
import { accountKindOf } from "./ledger/limit-rule.ts"
import type { Period } from "./ledger/periods.ts"
import type { StoredLimit } from "./store.ts"

/** What counts as spent in a window: of processes that ended, all that they may have used. */
export const spentOf = (totals: WindowTotals | undefined): number =>
  (totals?.spent ?? 0) + (totals?.writtenOff ?? 0)

/** When something that is spent stops counting, in epoch ms; null if nothing does. */
export const resetOf = (
  limit: StoredLimit,
  period: Period,
  totals: WindowTotals | undefined,
): number | null => {
  if (accountKindOf(limit) === "slots") return null
  const at = limit.rolling ? (totals?.oldestCountsUntil ?? null) : period.endsAt
  return at !== null && Number.isFinite(at) ? at : null
}

/** Epoch seconds, rounded up; null for null and for a time that never comes. */
export const toSeconds = (ms: number | null): number | null =>
  ms === null || !Number.isFinite(ms) ? null : Math.ceil(ms / 1000)

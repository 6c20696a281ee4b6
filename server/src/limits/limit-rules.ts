import type { LimitRule } from "./ledger/limit-rule.ts"
import type { StoredLimit } from "./store.ts"

/** What the ledger knows of a limit. */
export const toRule = ({
  id,
  metric,
  window,
  mode,
  time_zone,
  rolling,
}: StoredLimit): LimitRule => ({
  ...{ id, metric, window, mode, rolling },
  timeZone: time_zone,
})

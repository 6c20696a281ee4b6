import type { WebhookEvent } from "../../webhooks/webhooks.ts"
import { toSeconds } from "../period-use.ts"
import type { LimitUse } from "./limit-uses.ts"
import type { WarningLevel } from "./warning-level.ts"

/** A rolling window has no bounds of its own. */
const periodOf = ({ limit, period }: LimitUse) => {
  const hasBounds = !limit.rolling && limit.window !== "total"
  return {
    starts_at: hasBounds ? toSeconds(period.startsAt) : null,
    ends_at: hasBounds ? toSeconds(period.endsAt) : null,
  }
}

/** `limit.warning` at 80 %, `limit.reached` at 100 %. Amounts are those of the API. */
export const createWarningEvent = (
  use: LimitUse,
  level: WarningLevel,
  targetName: string | null,
): WebhookEvent => {
  const { id, target, model, metric, window, rolling, time_zone, mode } = use.limit
  return {
    type: level === 100 ? "limit.reached" : "limit.warning",
    data: {
      limit: {
        id,
        target,
        target_name: targetName,
        model,
        metric,
        window,
        rolling,
        time_zone,
        mode,
      },
      spent: use.spent,
      amount: use.amount,
      period: periodOf(use),
      resets_at: toSeconds(use.resetsAt),
    },
  }
}

import type { CostLabel } from "../../usage/cost-metric.ts"
import { nanoPerDollar } from "../../usage/exact-dollars.ts"
import type { Metrics } from "../../usage/metrics.ts"
import type { LimitWarnings, ReportedUse } from "./limit-warnings.ts"

/** More would be a burden for Prometheus; the oldest limits come first. */
const maxSeries = 1000

const remainingOf = ({ limit, amount, spent }: ReportedUse): number => {
  const remaining = Math.max(0, amount - spent)
  return limit.metric === "cost" ? remaining / nanoPerDollar : remaining
}

interface Deps {
  metrics: Pick<Metrics, "registerGauge">
  warnings: Pick<LimitWarnings, "uses">
  /** Limits of users and keys, of which there can be many, are exported only with their label. */
  labels: readonly CostLabel[]
}

/** Exports what is left of limits, as of their last check. */
export const addBudgetMetric = ({ metrics, warnings, labels }: Deps): void => {
  const isExported = ({ limit: { target } }: ReportedUse): boolean =>
    (target.type !== "user" && target.type !== "key") || labels.includes(target.type)

  metrics.registerGauge({
    name: "portico_budget_remaining",
    help: "What is left of a limit in its current period: requests, tokens or dollars",
    labelNames: ["limit", "target_type", "metric", "window"],
    read: () =>
      warnings
        .uses()
        .filter(isExported)
        .slice(0, maxSeries)
        .map((use) => {
          const { id, target, metric, window } = use.limit
          return {
            labels: { limit: id, target_type: target.type, metric, window },
            value: remainingOf(use),
          }
        }),
  })
}

import type { UsageQuery, UsageTotal } from "../../../../server/src/usage/schema.ts"
import type { MessageKey } from "../../i18n/translate.ts"
import { formatNumber, formatShortNumber } from "../../lib/format.ts"
import { formatCost } from "../../lib/format-cost.ts"

export const measures = ["cost", "requests", "errors", "tokens_in", "tokens_out"] as const
export type Measure = (typeof measures)[number]

export type UsageSums = Pick<UsageTotal, Measure | "unpriced">

export const measureLabels: Record<Measure, MessageKey> = {
  cost: "usage.cost",
  requests: "usage.requests",
  errors: "usage.errors",
  tokens_in: "usage.tokensIn",
  tokens_out: "usage.tokensOut",
}

/** What the API orders groups by, so that the largest of a measure are listed. */
export const rankByMeasure: Record<Measure, UsageQuery["rank_by"]> = {
  cost: "cost",
  requests: "requests",
  errors: "requests",
  tokens_in: "tokens",
  tokens_out: "tokens",
}

export const formatMeasure = (measure: Measure, value: number): string =>
  measure === "cost" ? formatCost(value) : formatNumber(value)

/** Short enough for an axis. */
export const formatOnAxis = (measure: Measure, value: number): string =>
  measure === "cost" ? formatCost(value) : formatShortNumber(value)

/** The cost of some usage, or "–" if none of it has a price. */
export const formatUsageCost = ({ cost, unpriced }: Pick<UsageTotal, "cost" | "unpriced">) =>
  cost === 0 && unpriced > 0 ? "–" : formatCost(cost)

export const sumUsage = (items: readonly UsageSums[]): UsageSums => {
  const sum = (field: keyof UsageSums) => items.reduce((total, item) => total + item[field], 0)
  return {
    cost: sum("cost"),
    unpriced: sum("unpriced"),
    requests: sum("requests"),
    errors: sum("errors"),
    tokens_in: sum("tokens_in"),
    tokens_out: sum("tokens_out"),
  }
}

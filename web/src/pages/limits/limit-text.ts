import type { Limit, LimitMetric } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDollars, formatNumber } from "../../lib/format.ts"
import { formatCost } from "../../lib/format-cost.ts"
import { toDollars } from "../../lib/format-price.ts"

/** "$50.00", "10 requests". */
export const formatAmount = (metric: LimitMetric, amount: number): string =>
  metric === "cost"
    ? formatDollars(toDollars(amount))
    : t(metric === "tokens" ? "limits.tokens" : "limits.requests", { count: amount })

/** "$50.00 per month", "10 requests per minute", "5 requests at the same time". */
export const describeLimit = ({
  metric,
  amount,
  window,
}: Pick<Limit, "metric" | "amount" | "window">): string =>
  t(metric === "concurrency" ? "limits.concurrently" : `limits.per.${window}`, {
    amount: formatAmount(metric, amount),
  })

/** "Cost per month", of a limit whose amount is not shown. */
export const describeKind = ({ metric, window }: Pick<Limit, "metric" | "window">): string => {
  if (metric === "concurrency") return t("limits.metric.concurrency")
  const amount = metric === "cost" ? t("limits.cost") : t(`limits.metric.${metric}`)
  return t(`limits.per.${window}`, { amount })
}

type RaisableLimit = Pick<Limit, "amount" | "raise">

/** The raise, if it counts now. */
export const currentRaise = ({ amount, raise }: RaisableLimit): Limit["raise"] =>
  raise && raise.until * 1000 > Date.now() && raise.amount > amount ? raise : null

/** With its raise, if it has one. */
export const currentAmount = (limit: RaisableLimit): number =>
  currentRaise(limit)?.amount ?? limit.amount

type LimitState = Pick<Limit, "metric" | "amount" | "raise" | "spent" | "reserved">

const formatUsed = (metric: LimitMetric, used: number): string =>
  metric === "cost" ? formatCost(used) : formatNumber(used)

/** "$12.50 of $50.00 spent · $0.25 reserved", "3 of 5 requests in progress". */
export const describeState = (limit: LimitState): string => {
  const { metric, spent, reserved } = limit
  const amount = formatAmount(metric, currentAmount(limit))
  if (metric === "concurrency")
    return t("limits.inProgress", { used: formatNumber(reserved), amount })
  const parts = [t("limits.spent", { used: formatUsed(metric, spent), amount })]
  if (reserved > 0) parts.push(t("limits.reserved", { amount: formatUsed(metric, reserved) }))
  return parts.join(" · ")
}

/** Part of the amount that is spent; 1 for an amount of 0, which admits nothing. */
export const spentShare = (limit: LimitState): number => {
  const amount = currentAmount(limit)
  return amount === 0 ? 1 : limit.spent / amount
}

/** "Everyone", "Research"; a model without a name of its own has its id. */
export const describeTarget = ({
  target,
  target_name,
}: Pick<Limit, "target" | "target_name">): string =>
  target.type === "everyone" ? t("limits.everyone") : (target_name ?? target.id ?? "")

export type Metric = "requests" | "tokens" | "cost" | "concurrency"
export type LimitWindow = "minute" | "hour" | "day" | "week" | "month" | "total"

/** What a request reserves or used, by metric. Cost in nano-dollars; integers. */
export type Amounts = Readonly<Record<Metric, number>>

/** Larger numbers are not exact, and SQLite's are not read. */
export const maxAmount = Number.MAX_SAFE_INTEGER

const toAmount = (value: number): number => (value > 0 ? Math.min(Math.ceil(value), maxAmount) : 0)

/** Amounts that can be added up, whatever a provider reports: NaN would stay in a sum for ever. */
export const limitAmounts = ({ requests, tokens, cost, concurrency }: Amounts): Amounts => ({
  requests: toAmount(requests),
  tokens: toAmount(tokens),
  cost: toAmount(cost),
  concurrency: toAmount(concurrency),
})

/**
 * What the ledger knows of a limit in memory. Its amount is not part of it: the database, which
 * grants, reads the amount itself, so that no process can grant by an old one.
 */
export interface LimitRule {
  readonly id: string
  readonly metric: Metric
  readonly window: LimitWindow
  /** `soft`: admits as long as less than the amount is spent, and reserves nothing. */
  readonly mode: "hard" | "soft"
  /** IANA time zone of calendar windows. */
  readonly timeZone: string
  /** Whether the window ends now, instead of following the calendar. */
  readonly rolling: boolean
}

/** Whether what is spent stays in the same periods. */
export const hasSamePeriods = (one: LimitRule, other: LimitRule): boolean =>
  one.window === other.window &&
  one.rolling === other.rolling &&
  one.timeZone === other.timeZone &&
  one.metric === other.metric

/** An amount with a temporary raise. */
export interface RaisableAmount {
  amount: number
  raiseAmount: number | null
  /** End of the raise in epoch ms. */
  raiseUntil: number | null
}

/**
 * - `sum`: what is spent in a period adds up.
 * - `slots`: requests in flight; given back when they end.
 * - `rate`: per minute, by GCRA.
 */
type AccountKind = "sum" | "slots" | "rate"

export const accountKindOf = ({
  metric,
  window,
}: Pick<LimitRule, "metric" | "window">): AccountKind => {
  if (metric === "concurrency") return "slots"
  return window === "minute" ? "rate" : "sum"
}

/** The amount that holds at a time in epoch ms. */
export const amountAt = ({ amount, raiseAmount, raiseUntil }: RaisableAmount, ms: number) =>
  raiseAmount !== null && raiseUntil !== null && ms < raiseUntil
    ? Math.max(amount, raiseAmount)
    : amount

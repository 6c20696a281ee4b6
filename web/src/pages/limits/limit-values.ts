import type {
  Limit,
  LimitChange,
  LimitMetric,
  LimitTarget,
  NewLimit,
} from "../../../../server/src/limits/schema.ts"
import { fromDollars, toDollars } from "../../lib/format-price.ts"
import { currentRaise } from "./limit-text.ts"

export const metrics = ["cost", "requests", "tokens", "concurrency"] as const
export const windows = ["minute", "hour", "day", "week", "month", "total"] as const

/** What a form of a limit contains; amounts of cost are in dollars. */
export interface LimitValues {
  metric: LimitMetric
  /** Null until one is entered. */
  amount: number | null
  window: Limit["window"]
  mode: Limit["mode"]
  rolling: boolean
  time_zone: string
  /** Empty if requests to all models count. */
  model: string
  raise_amount: number | null
  /** As of `<input type="datetime-local">`, in the browser's time zone; empty if there is none. */
  raise_until: string
}

const defaultWindows: Record<LimitMetric, Limit["window"]> = {
  cost: "month",
  requests: "minute",
  tokens: "minute",
  concurrency: "total",
}

const defaultMetrics: Partial<Record<LimitTarget["type"], LimitMetric>> = {
  key: "requests",
  connection: "requests",
}

/** A metric, with what cannot stay with it. */
export const withMetric = (metric: LimitMetric, before: LimitValues): Partial<LimitValues> => {
  const isOwnChoice =
    before.metric !== "concurrency" && before.window !== defaultWindows[before.metric]
  const window = isOwnChoice && metric !== "concurrency" ? before.window : defaultWindows[metric]
  return { metric, ...withWindow(window), ...(metric === "concurrency" && { mode: "hard" }) }
}

export const withWindow = (window: Limit["window"]): Partial<LimitValues> => ({
  window,
  ...(window === "total" && { rolling: false }),
})

export const defaultLimitValues = (type: LimitTarget["type"]): LimitValues => {
  const metric = defaultMetrics[type] ?? "cost"
  return {
    metric,
    amount: null,
    window: defaultWindows[metric],
    mode: "hard",
    rolling: false,
    time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    model: "",
    raise_amount: null,
    raise_until: "",
  }
}

/** `2026-01-31T18:30` in the browser's time zone; `seconds` is Unix time. */
const toLocalTime = (seconds: number): string => {
  const at = new Date(seconds * 1000)
  const offsetMs = at.getTimezoneOffset() * 60_000
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, "2026-01-31T18:30".length)
}

export const toLimitValues = (limit: Limit): LimitValues => {
  const toShown = (amount: number): number => (limit.metric === "cost" ? toDollars(amount) : amount)
  const raise = currentRaise(limit)
  return {
    metric: limit.metric,
    amount: toShown(limit.amount),
    window: limit.window,
    mode: limit.mode,
    rolling: limit.rolling,
    time_zone: limit.time_zone,
    model: limit.model ?? "",
    raise_amount: raise && toShown(raise.amount),
    raise_until: raise ? toLocalTime(raise.until) : "",
  }
}

/** As JSON, `null`: the gateway says that a number is missing. */
const missing = Number.NaN

/** What changes can contain. */
export const toLimitChange = (
  values: LimitValues,
): Omit<LimitChange, "target" | "model" | "metric"> & Pick<NewLimit, "amount"> => {
  const { metric, amount, window, mode, rolling, time_zone, raise_amount, raise_until } = values
  const toSent = (shown: number | null): number => {
    if (shown === null) return missing
    return metric === "cost" ? fromDollars(shown) : shown
  }
  const hasRaise = raise_amount !== null || raise_until !== ""
  const until = Math.floor(new Date(raise_until).getTime() / 1000)
  return {
    ...{ amount: toSent(amount), window, mode, rolling, time_zone },
    raise: hasRaise ? { amount: toSent(raise_amount), until } : null,
  }
}

export const toNewLimit = (target: LimitTarget, values: LimitValues) => {
  const model = values.model.trim()
  const { metric } = values
  return {
    ...toLimitChange(values),
    target,
    metric,
    ...(model !== "" && target.type !== "model" && { model }),
  }
}

import { startOfDay, zonedDateAt } from "./calendar.ts"
import { accountKindOf, type LimitRule, type LimitWindow } from "./limit-rule.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A period of a limit: what is reserved in it is settled in it, whenever that happens. */
export interface Period {
  /** Unique among the periods of a limit, also after the limit's window or time zone changed. */
  readonly key: string
  /** Periods that count toward the limit together: the buckets of a rolling window. */
  readonly series: string
  /** Epoch ms; so are the others. */
  readonly startsAt: number
  /** When the next period begins; Infinity if none does. */
  readonly endsAt: number
  /** Periods of the series that start here or later count. */
  readonly windowStartsAt: number
  /** Until when what is spent in this period counts. */
  readonly countsUntil: number
}

interface RollingWindow {
  bucketMs: number
  /** Full buckets before the current one. */
  buckets: number
}

const rollingWindows: Partial<Record<LimitWindow, RollingWindow>> = {
  hour: { bucketMs: minuteMs, buckets: 60 },
  day: { bucketMs: 30 * minuteMs, buckets: 48 },
  week: { bucketMs: hourMs, buckets: 168 },
  month: { bucketMs: 6 * hourMs, buckets: 120 },
}

const createEndlessPeriod = (key: string): Period => ({
  key,
  series: key,
  startsAt: 0,
  endsAt: Number.POSITIVE_INFINITY,
  windowStartsAt: 0,
  countsUntil: Number.POSITIVE_INFINITY,
})

const endlessPeriods: Record<string, Period> = {
  total: createEndlessPeriod("total"),
  slots: createEndlessPeriod("slots"),
  rate: createEndlessPeriod("rate"),
}

const rollingPeriodOf = (window: LimitWindow, { bucketMs, buckets }: RollingWindow, at: number) => {
  const startsAt = Math.floor(at / bucketMs) * bucketMs
  const endsAt = startsAt + bucketMs
  return {
    key: `rolling ${window} ${startsAt}`,
    series: `rolling ${window}`,
    startsAt,
    endsAt,
    windowStartsAt: startsAt - buckets * bucketMs,
    countsUntil: endsAt + buckets * bucketMs,
  }
}

/** The dates at which the calendar period that contains `at` and the next one start. */
const calendarBounds = (window: LimitWindow, timeZone: string, at: number): [number, number] => {
  const { year, month, day, weekday } = zonedDateAt(timeZone, at)
  const startOf = (month: number, day: number) => startOfDay(timeZone, { year, month, day })
  if (window === "month") return [startOf(month, 1), startOf(month + 1, 1)]
  if (window === "week") {
    const monday = day - ((weekday + 6) % 7)
    return [startOf(month, monday), startOf(month, monday + 7)]
  }
  return [startOf(month, day), startOf(month, day + 1)]
}

/** Hours of zones with an offset of half an hour start at half past, in UTC. */
const hourBounds = (timeZone: string, at: number): [number, number] => {
  const { minute, second } = zonedDateAt(timeZone, at)
  const startsAt = Math.floor(at / 1000) * 1000 - (minute * 60 + second) * 1000
  return [startsAt, startsAt + hourMs]
}

const calendarPeriodOf = ({ window, timeZone }: LimitRule, at: number): Period => {
  const bounds = window === "hour" ? hourBounds(timeZone, at) : calendarBounds(window, timeZone, at)
  const [startsAt, endsAt] = bounds
  const key = `${window} ${startsAt}`
  return { key, series: key, startsAt, endsAt, windowStartsAt: startsAt, countsUntil: endsAt }
}

/**
 * The period of a limit at a time. A calendar day has 23 or 25 hours when daylight saving time
 * begins or ends; weeks start on Monday; a rolling month has 30 days.
 * @param at epoch ms
 */
export const periodAt = (rule: LimitRule, at: number): Period => {
  const kind = accountKindOf(rule)
  const endless = endlessPeriods[kind === "sum" ? rule.window : kind]
  if (endless) return endless
  const rolling = rule.rolling ? rollingWindows[rule.window] : undefined
  return rolling ? rollingPeriodOf(rule.window, rolling, at) : calendarPeriodOf(rule, at)
}

/** Nothing that ended longer ago than this counts toward any limit. */
export const maxWindowMs = 32 * dayMs

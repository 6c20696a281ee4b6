import type { UsageInterval } from "../../../../server/src/usage/schema.ts"
import { daySeconds } from "../../lib/utc-days.ts"

export const rangePresets = ["7", "30", "90", "365", "month", "last-month"] as const
export type RangePreset = (typeof rangePresets)[number]

export interface UsageRange {
  /** Unix time of the start of a UTC day. */
  from: number
  /** Unix time of the end of the last day. */
  to: number
  preset: RangePreset | "custom"
  interval: UsageInterval
}

/** Parameters of the page's address; `from` and `to` are days such as `2026-01-31`, both included. */
export interface RangeSearch {
  range?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

const defaultPreset: RangePreset = "30"
const hourSeconds = 3600
const maxHourlyDays = 2
/** As many bars as can be distinguished on a phone. */
const maxDailyDays = 124

const intervalFor = (from: number, to: number): UsageInterval => {
  const days = (to - from) / daySeconds
  if (days <= maxHourlyDays) return "hour"
  return days <= maxDailyDays ? "day" : "month"
}

const dayPattern = /^\d{4}-\d\d-\d\d$/

/** Unix time of a day in UTC; undefined if there is no such day after 1970. */
const parseUtcDay = (text: string | undefined): number | undefined => {
  if (text === undefined || !dayPattern.test(text)) return undefined
  const seconds = Date.parse(text) / 1000
  return seconds >= 0 ? seconds : undefined
}

/** Unix time of the start of a month in UTC, `offset` months after that of `seconds`. */
const monthStart = (seconds: number, offset = 0): number => {
  const date = new Date(seconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset) / 1000
}

const presetBounds = (preset: RangePreset, now: number): { from: number; to: number } => {
  const to = (Math.floor(now / daySeconds) + 1) * daySeconds
  if (preset === "month") return { from: monthStart(now), to }
  if (preset === "last-month") return { from: monthStart(now, -1), to: monthStart(now) }
  return { from: to - Number(preset) * daySeconds, to }
}

/** The range that an address asks for, or the default; `now` is Unix time. */
export const parseUsageRange = (search: RangeSearch, now = Date.now() / 1000): UsageRange => {
  const first = parseUtcDay(search.from)
  const last = parseUtcDay(search.to)
  if (first !== undefined && last !== undefined) {
    const from = Math.min(first, last)
    const to = Math.max(first, last) + daySeconds
    return { from, to, preset: "custom", interval: intervalFor(from, to) }
  }
  const preset = rangePresets.find((one) => one === search.range) ?? defaultPreset
  const { from, to } = presetBounds(preset, now)
  return { from, to, preset, interval: intervalFor(from, to) }
}

/** Unix times at which the intervals of a range start; the first may start before the range. */
export const intervalStarts = ({ from, to, interval }: Omit<UsageRange, "preset">): number[] => {
  const starts: number[] = []
  const step = interval === "hour" ? hourSeconds : daySeconds
  const first = interval === "month" ? monthStart(from) : from
  for (let start = first; start < to; ) {
    starts.push(start)
    start = interval === "month" ? monthStart(start, 1) : start + step
  }
  return starts
}

/** The last `count` months as `2026-01`, the current one first; `now` is Unix time. */
export const lastMonths = (count: number, now = Date.now() / 1000): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(monthStart(now, -index) * 1000).toISOString().slice(0, 7),
  )

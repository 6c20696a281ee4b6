import type { UsageInterval } from "../../../../server/src/usage/schema.ts"
import { formatUtcTime } from "../../lib/format.ts"

const shortFormats: Record<UsageInterval, Intl.DateTimeFormatOptions> = {
  hour: { hour: "numeric", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
}

const fullFormats: Record<UsageInterval, Intl.DateTimeFormatOptions> = {
  hour: { dateStyle: "medium", timeStyle: "short" },
  day: { dateStyle: "medium" },
  month: { month: "long", year: "numeric" },
}

/** An interval of UTC by its start (Unix time), such as "5 Nov". */
export const formatIntervalShort = (start: number, interval: UsageInterval): string =>
  formatUtcTime(start, shortFormats[interval])

/** Such as "5 Nov 2026". */
export const formatInterval = (start: number, interval: UsageInterval): string =>
  formatUtcTime(start, fullFormats[interval])

/** The name of a month such as `2026-11`. */
export const formatMonth = (month: string): string =>
  formatInterval(Date.parse(`${month}-01`) / 1000, "month")

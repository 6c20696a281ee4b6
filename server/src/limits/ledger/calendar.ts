/** A date and time in a time zone; `month` is 1 to 12, `weekday` 0 (Sunday) to 6. */
export interface ZonedDate {
  year: number
  month: number
  day: number
  weekday: number
  hour: number
  minute: number
  second: number
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const formatByZone = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formatByZone.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  })
  formatByZone.set(timeZone, format)
  return format
}

/** @param at epoch ms */
export const zonedDateAt = (timeZone: string, at: number): ZonedDate => {
  const parts = formatOf(timeZone).formatToParts(at)
  const textOf = (type: string) => parts.find((part) => part.type === type)?.value ?? ""
  return {
    year: Number(textOf("year")),
    month: Number(textOf("month")),
    day: Number(textOf("day")),
    weekday: weekdays.indexOf(textOf("weekday")),
    hour: Number(textOf("hour")),
    minute: Number(textOf("minute")),
    second: Number(textOf("second")),
  }
}

/** The zone's offset from UTC in ms; positive in the east. */
const offsetAt = (timeZone: string, at: number): number => {
  const { year, month, day, hour, minute, second } = zonedDateAt(timeZone, at)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

const isSameDay = (one: ZonedDate, other: Date): boolean =>
  one.day === other.getUTCDate() && one.month === other.getUTCMonth() + 1

/**
 * When a day starts in a time zone, in epoch ms. `day` and `month` may be out of range, as in
 * `Date.UTC`. Where the clock skips midnight, the day starts at the first time that it has.
 */
export const startOfDay = (
  timeZone: string,
  { year, month, day }: Pick<ZonedDate, "year" | "month" | "day">,
): number => {
  const midnight = Date.UTC(year, month - 1, day)
  const dayMs = 86_400_000
  // The offset changes at most once in the two days, so midnight has one of these.
  const offsets = [offsetAt(timeZone, midnight - dayMs), offsetAt(timeZone, midnight + dayMs)]
  const candidates = offsets.map((offset) => midnight - offset).sort((one, other) => one - other)
  const date = new Date(midnight)
  const first = candidates.find((at) => isSameDay(zonedDateAt(timeZone, at), date))
  return first ?? Math.max(...candidates)
}

const maxLength = 100
const daySeconds = 86_400
/** Midnight in the zone of archives' entries that have no date; earlier dates are errors as well. */
const earliest = Date.UTC(1980, 0, 1) / 1000
/** Clocks run ahead, and local times are taken as UTC. */
const maxAheadSeconds = 2 * daySeconds

/** Dates of the templates that libraries copy: python-docx and python-pptx. */
const templateDates: ReadonlySet<string> = new Set([
  "2013-12-23T23:15:00Z",
  "2013-01-27T09:14:16Z",
  "2013-01-27T09:15:58Z",
])

const zone = "(?: ?(?:Z(?:00'?00'?)?|UTC|GMT|([+-])(\\d\\d)[:']?(\\d\\d)?'?))?"
/** PDF, §7.9.4: `D:20240501100000+02'00'`. */
const digitsOnly = new RegExp(
  `^(?:D:)?(\\d{4})(?:(\\d\\d)(?:(\\d\\d)(?:T?(\\d\\d)(?:(\\d\\d)(\\d\\d)?)?${zone})?)?)?$`,
)
/** W3C-DTF and XMP (`2024-05-01T10:00:00+02:00`), and as people write it (`2024. 5. 1.`). */
const separated = new RegExp(
  `^(?:D:)?(\\d{4})[-/.] ?(\\d\\d?)(?:[-/.] ?(\\d\\d?)\\.?(?:[T ](\\d\\d?)(?::(\\d\\d)(?::(\\d\\d)(?:[.,]\\d+)?)?)?)?${zone})?$`,
)
const startsWithMonth = /^\d{4}[ .,-]+\p{L}/u

const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max

/** A day without a time is taken as noon UTC, which is on the same day in most time zones. */
const parseNumericDate = ([, ...parts]: readonly (string | undefined)[]): number | null => {
  const [year = 0, month = 1, day = 1, hour = 12, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => (part === undefined ? undefined : Number(part)))
  const isValid = isWithin(month, 1, 12) && isWithin(day, 1, 31) && isWithin(hour, 0, 24)
  if (!isValid || !isWithin(minute, 0, 59)) return null
  const [sign, zoneHours = "0", zoneMinutes = "0"] = parts.slice(6)
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -60 : 60)
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - offset
}

/** RFC 5322, section 3.3, and "2024 May 1"; UTC if no zone is stated. */
const parseMailDate = (text: string): number | null => {
  const hasZone = /[+-]\d{4}\b|\b[A-Z]{1,5}\)?$/.test(text)
  const time = text.includes(":") ? "" : " 12:00"
  const ms = Date.parse(hasZone ? text : `${text}${time} UTC`)
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}

const parseDate = (text: string): number | null => {
  const trimmed = text.trim().slice(0, maxLength)
  if (templateDates.has(trimmed)) return null
  const numeric = digitsOnly.exec(trimmed) ?? separated.exec(trimmed)
  if (numeric) return parseNumericDate(numeric)
  // `Date.parse` guesses what is meant by other text after a year.
  const isOther = /^(?:D:)?\d{4}/.test(trimmed) && !startsWithMonth.test(trimmed)
  return isOther ? null : parseMailDate(trimmed)
}

/**
 * The first of the dates that is one and can be true: not before 1980, and not in the future.
 * @param nowMs the present time
 * @returns Unix seconds; null if there is none
 */
export const parseDocumentDate = (texts: readonly string[], nowMs: number): number | null => {
  const latest = nowMs / 1000 + maxAheadSeconds
  const dates = texts.map(parseDate)
  return dates.find((date) => date !== null && date > earliest && date <= latest) ?? null
}

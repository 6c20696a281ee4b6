import { currentLanguage, t } from "../i18n/translate.ts"

/** The page's language in the browser's region, such as "en-GB", or "en-DE" for "de-DE". */
const currentLocale = (): string => {
  const language = currentLanguage()
  const preferred = navigator.languages.find((tag) => tag.split("-")[0] === language)
  if (preferred) return preferred
  const region = /-([A-Z]{2})$/.exec(navigator.language)?.[1]
  return region ? `${language}-${region}` : language
}

const spans: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]

/** "3 minutes ago", "in 2 days", "just now"; `seconds` is Unix time. */
export const formatRelativeTime = (seconds: number, nowMs = Date.now()): string => {
  const offsetSeconds = seconds - nowMs / 1000
  const format = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: "auto" })
  for (const [unit, size] of spans) {
    if (Math.abs(offsetSeconds) >= size)
      return format.format(Math.round(offsetSeconds / size), unit)
  }
  return t("state.justNow")
}

/** Date and time to the second; `seconds` is Unix time. */
export const formatExactTime = (seconds: number): string =>
  new Intl.DateTimeFormat(currentLocale(), { dateStyle: "medium", timeStyle: "medium" }).format(
    seconds * 1000,
  )

export const formatDate = (seconds: number): string =>
  new Intl.DateTimeFormat(currentLocale(), { dateStyle: "medium" }).format(seconds * 1000)

/** A time in UTC, as for days that are counted in UTC; `seconds` is Unix time. */
export const formatUtcTime = (seconds: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(currentLocale(), { ...options, timeZone: "UTC" }).format(seconds * 1000)

/** "Jan 31, 2026"; `day` is "2026-01-31". */
export const formatDay = (day: string): string =>
  new Intl.DateTimeFormat(currentLocale(), { dateStyle: "medium", timeZone: "UTC" }).format(
    Date.parse(day),
  )

const dollarDecimals = 9

/** An exact amount with at least two decimals: "$2.50", "$0.0375". */
export const formatDollars = (dollars: number): string =>
  new Intl.NumberFormat(currentLanguage(), {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: dollarDecimals,
  }).format(dollars)

/** The name of a language; `code` is its ISO 639-1 code. */
export const formatLanguage = (code: string): string =>
  new Intl.DisplayNames(currentLanguage(), { type: "language" }).of(code) ?? code

export const formatNumber = (value: number, digits = 0): string =>
  new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: digits }).format(value)

/** "1.2K", "3.4M". */
export const formatShortNumber = (value: number): string =>
  new Intl.NumberFormat(currentLanguage(), {
    notation: "compact",
    maximumFractionDigits: 1,
  }).format(value)

/** "one, two, and three". */
export const formatList = (items: readonly string[]): string =>
  new Intl.ListFormat(currentLanguage(), { type: "conjunction" }).format(items)

const byteUnits = ["B", "kB", "MB", "GB", "TB"] as const

export const formatBytes = (bytes: number): string => {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${formatNumber(bytes / 1000 ** power, power > 1 ? 1 : 0)} ${byteUnits[power]}`
}

/** "350 ms", "1.4 s". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${formatNumber(ms)} ms` : `${formatNumber(ms / 1000, 1)} s`

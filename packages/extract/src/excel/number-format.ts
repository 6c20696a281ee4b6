import { format, getFormatDateInfo, getFormatInfo, tokenize } from "numfmt"

/** Longest format code that Excel accepts; formatting takes time for each of its characters. */
const maxCodeLength = 255
/** Excel keeps 15 digits. */
const maxRoundedNumber = 1e15
/** Excel shows numbers from here on with an exponent, which hides their last digits. */
const minRoundedNumber = 1e11
/** Characters that a format may add to a value. */
const maxAddedLength = 255

/** Day and month as numbers in an order that only the reader's region tells. */
const ambiguousDate = /(?<![dmy]|y[^a-z0-9]{0,2})(d{1,2}[/-]m{1,2}|m{1,2}[/-]d{1,2})(?![dm])/i

const general = (value: number): string => {
  if (Number.isSafeInteger(value)) return String(value)
  const isRounded = Math.abs(value) >= minRoundedNumber && Math.abs(value) < maxRoundedNumber
  return isRounded ? String(Number(value.toPrecision(15))) : format("General", value)
}

/** The same format with an ISO date, or at least with all digits of the year. */
const unambiguousDateCode = (code: string): string => {
  const tokens = tokenize(code)
  const letters = tokens.map(({ type, value }) =>
    type === "STRING" || type === "LOCALE" ? "" : value,
  )
  if (!ambiguousDate.test(letters.join(""))) {
    return tokens.map(({ raw }) => (/^yy?$/i.test(raw) ? "yyyy" : raw)).join("")
  }
  const { hours, seconds } = getFormatDateInfo(code)
  if (!hours) return "yyyy-mm-dd"
  return seconds ? "yyyy-mm-dd hh:mm:ss" : "yyyy-mm-dd hh:mm"
}

export interface NumberFormat {
  isDate: boolean
  /** Shows a number, or a serial date of the 1900 date system. */
  formatNumber(value: number): string
  formatText(text: string): string
}

const generalFormat: NumberFormat = {
  isDate: false,
  formatNumber: general,
  formatText: (text) => text,
}

/** The same format without the separators of a region, which the other numbers do not follow. */
const withoutRegion = (code: string): string =>
  tokenize(code)
    .map(({ type, value, raw }) => {
      const [currency = ""] = value.split("-")
      return type === "LOCALE" ? `"${currency.replaceAll('"', "")}"` : raw
    })
    .join("")

/** @throws {Error} if the code is invalid */
const createFormat = (code: string): NumberFormat => {
  const { isDate } = getFormatInfo(code)
  const shown = isDate ? unambiguousDateCode(code) : withoutRegion(code)
  for (const sample of [1, -1, 0]) format(shown, sample)
  const hasTextSection = code.includes("@") && code !== "@"
  return {
    isDate,
    formatNumber: (value) => {
      const text = format(shown, value)
      const isHidden = value !== 0 && text.trim() === ""
      return isHidden || text.length > maxAddedLength * 2 ? general(value) : text
    },
    formatText: (text) => {
      if (!hasTextSection) return text
      const formatted = format(shown, text)
      return formatted.length > text.length + maxAddedLength ? text : formatted
    },
  }
}

/**
 * Reads a format code (ECMA-376 part 1, §18.8.31). Numbers have English separators, because a
 * workbook does not tell its region. Dates are shown as in the sheet if everyone reads them alike,
 * else as ISO dates.
 * @returns the general format if the code is invalid
 */
export const parseNumberFormat = (code: string): NumberFormat => {
  if (code.length > maxCodeLength || /^general$/i.test(code)) return generalFormat
  try {
    return createFormat(code)
  } catch {
    return generalFormat
  }
}

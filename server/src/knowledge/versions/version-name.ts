/** A time that a file name states. */
export interface NamedPeriod {
  /** The same for equal periods, such as "2025", "2025-q3" and "2025-06-15". */
  key: string
  /** Unix seconds. */
  start: number
  unit: "year" | "half" | "quarter" | "month" | "week" | "day"
}

/** What a file name says about the version of a document, and the rest of it. */
export interface VersionName {
  /** The name without extension and marks of versions, in lower case; "" if nothing remains. */
  stem: string
  /** `v2.1`: [2, 1]; null if none is named. */
  number: readonly number[] | null
  /** Whether the number has no word such as "v", and may be that of a product. */
  isBareNumber: boolean
  /** Null if no time is named. */
  period: NamedPeriod | null
  /** "old", "archive". */
  isOutdated: boolean
  /** Other words for a state of a document, such as "final". */
  state: string
  /** "pump 2010", "golf 1.6": a year or bare number that may be part of a product's name. */
  phrases: readonly string[]
  /** Years, parts of years and versions (`v2`), by which a question can refer to the version. */
  terms: readonly string[]
}

const maxLength = 300

const readMonths = (): ReadonlyMap<string, number> =>
  new Map(
    ["en", "de", "fr", "es", "it", "nl", "pt", "pl"].flatMap((language) =>
      (["long", "short"] as const).flatMap((month) => {
        const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" })
        return Array.from({ length: 12 }, (_, at): [string, number] => [
          format
            .format(Date.UTC(2024, at, 15))
            .toLowerCase()
            .replace(".", "")
            .normalize("NFC"),
          at,
        ])
      }),
    ),
  )

let months: ReadonlyMap<string, number> | undefined

/** The month that a word, in lower case, names; January is 0. */
const monthOf = (word: string): number | undefined => {
  // Read on first use, as it takes 20 ms.
  months ??= readMonths()
  return months.get(word)
}

const outdatedWords = new Set(
  `old alt alte alter altes outdated obsolete superseded deprecated archive archived archiv veraltet
   überholt ancien ancienne antiguo antigua vecchio oud`.split(/\s+/),
)
const stateWords = new Set(
  `final draft new latest current updated revised copy approved entwurf neu neue neuer neues aktuell
   aktualisiert überarbeitet kopie von endfassung of brouillon nouveau nueva nuevo borrador copia
   version ver rev revision fassung stand ausgabe edition release`.split(/\s+/),
)

const versionLabels = new Set(
  "v ver version rev revision fassung ausgabe edition issue release stand".split(" "),
)
/** Whether a number after the word, in lower case, may be that of a version. */
export const isVersionLabel = (word: string): boolean => versionLabels.has(word)

/** Whether a word, in lower case, names a month or a state of a document. */
export const isVersionWord = (word: string): boolean =>
  outdatedWords.has(word) || stateWords.has(word) || monthOf(word) !== undefined

const separator = /[\s_.,()[\]{}+–-]/u
const start = `(?<=^|${separator.source})`
const end = `(?=$|${separator.source})`
const year = "((?:19\\d|20[0-4])\\d)"
const month = "(0[1-9]|1[0-2])"
const day = "(0[1-9]|[12]\\d|3[01])"
const pattern = (source: string): RegExp => new RegExp(`${start}${source}${end}`, "u")

const yearFirst = pattern(`${year}[-_. ]${month}[-_. ]${day}`)
const digitsOnly = pattern(`${year}${month}${day}`)
const dayFirst = pattern(`${day}[-_. ]${month}[-_. ]${year}`)
const yearAndMonth = pattern(`${year}[-_. ]${month}`)
const monthAndYear = pattern(`(?<!(?:kw|week)[-_. ])${month}[-_. ]${year}`)
const yearOnly = pattern(year)
const partOfYear = pattern("(?:([qh])([1-4])|(kw|week) ?(\\d\\d?))")
/** Issues of a newspaper are no versions of it, so "issue" and "Ausgabe" are not among these. */
const versionNumber = pattern(
  "(?:v|ver|version|rev|revision|fassung|edition|release)[-_. ]{0,2}(\\d{1,4}(?:[._]\\d{1,4}){0,3})",
)
/** Not at the start of a name, nor after such words, where chapters are numbered. */
const dottedNumber = new RegExp(
  `(?<=${separator.source})(?<!(?:chapter|section|part|lesson|unit|annex|appendix|kapitel|abschnitt|teil|lektion|anlage|anhang|chapitre|article|partie|punkt|absatz|no|nr)[\\s_.-]{1,3})(\\d{1,3}(?:\\.\\d{1,3}){1,3})${end}`,
  "u",
)
/** Fewer letters begin the name of a model, such as "P2010". */
const gluedYear = /(\p{L}{3}|\p{sc=Han}|\p{sc=Katakana})((?:19\d|20[0-4])\d)(?!\d)/gu
/** Added by browsers and file managers to names that exist. */
const copyNumber = /\(\d{1,3}\)$/

/** Removes what names a time from a name. */
class NameParser {
  rest: string
  readonly terms: string[] = []
  readonly phrases: string[] = []
  period: NamedPeriod | null = null

  constructor(name: string) {
    this.rest = name
  }

  /** Removes the first match. @returns its groups */
  take(expression: RegExp): (string | undefined)[] | null {
    const match = expression.exec(this.rest)
    if (!match) return null
    const before = this.rest.slice(0, match.index)
    this.rest = `${before} ${this.rest.slice(match.index + match[0].length)}`
    return match.slice(1)
  }

  /** Same as `take` for a number that may be part of a product's name. */
  takeAmbiguous(expression: RegExp): string | undefined {
    const { index } = expression.exec(this.rest) ?? { index: 0 }
    const label = this.rest.slice(0, index).split(separator).findLast(Boolean)
    const [numberText] = this.take(expression) ?? []
    if (label && numberText) this.phrases.push(`${label} ${numberText}`)
    return numberText
  }

  setPeriod(unit: NamedPeriod["unit"], key: string, start: number): void {
    this.period = { key, start: start / 1000, unit }
  }

  takeNumericDate(): boolean {
    const whole = this.take(yearFirst) ?? this.take(digitsOnly)
    const reversed = whole ? null : this.take(dayFirst)?.toReversed()
    const parts =
      whole ?? reversed ?? this.take(yearAndMonth) ?? this.take(monthAndYear)?.toReversed()
    if (!parts) return false
    const [yearText = "", monthText, dayText] = parts
    const start = Date.UTC(Number(yearText), Number(monthText) - 1, Number(dayText ?? 1))
    this.setPeriod(dayText ? "day" : "month", parts.filter(Boolean).join("-"), start)
    this.terms.push(yearText)
    return true
  }

  takeMonthName(): number | undefined {
    const words = this.rest.split(separator)
    const at = words.findIndex((word) => monthOf(word) !== undefined)
    if (at < 0) return undefined
    this.rest = words.toSpliced(at, 1).join(" ")
    return monthOf(words[at] ?? "")
  }

  /** Removes a quarter, a half or a week of a year. */
  takePartOfYear(yearText: string): void {
    const [letter, numberText, , week] = this.take(partOfYear) ?? []
    const count = Number(numberText ?? week)
    if (Number.isNaN(count)) return
    const term = week ? `w${Number(week)}` : `${letter}${numberText}`
    const [unit, month, day] = week
      ? (["week", 0, 1 + (count - 1) * 7] as const)
      : letter === "h"
        ? (["half", (count - 1) * 6, 1] as const)
        : (["quarter", (count - 1) * 3, 1] as const)
    this.setPeriod(unit, `${yearText}-${term}`, Date.UTC(Number(yearText), month, day))
    this.terms.push(term)
  }

  takeTime(): void {
    if (this.takeNumericDate()) return
    const yearText = this.takeAmbiguous(yearOnly)
    if (yearText === undefined) return
    this.terms.push(yearText)
    const start = Date.UTC(Number(yearText), 0)
    this.setPeriod("year", yearText, start)
    const month = this.takeMonthName()
    if (month === undefined) this.takePartOfYear(yearText)
    else
      this.setPeriod(
        "month",
        `${yearText}-${String(month + 1).padStart(2, "0")}`,
        Date.UTC(Number(yearText), month),
      )
  }
}

/** `2` is too common in questions to refer to a version; `v2` and `2.1` are not. */
const termsOf = (numberText: string): string[] =>
  /[._]/.test(numberText) ? [numberText, `v${numberText}`] : [`v${numberText}`]

export const parseVersionName = (filename: string): VersionName => {
  const name = filename.slice(0, maxLength).normalize("NFC").toLowerCase()
  const plain = name.replace(/\.[a-z][a-z0-9]{0,4}$/, "").replace(copyNumber, "")
  const parser = new NameParser(plain.replace(gluedYear, "$1 $2"))
  const [versionText] = parser.take(versionNumber) ?? []
  parser.takeTime()
  const bareText = versionText ? undefined : parser.takeAmbiguous(dottedNumber)
  const numberText = versionText ?? bareText
  const words = parser.rest.split(separator).filter(Boolean)
  const isMark = (word: string): boolean => outdatedWords.has(word) || stateWords.has(word)
  const stem = words.filter((word) => !isMark(word)).join(" ")
  return {
    stem: /\p{L}/u.test(stem) ? stem : "",
    number: numberText ? numberText.split(/[._]/).map(Number) : null,
    isBareNumber: bareText !== undefined,
    period: parser.period,
    phrases: parser.phrases,
    isOutdated: words.some((word) => outdatedWords.has(word)),
    state: words.filter((word) => stateWords.has(word)).join(" "),
    terms: numberText ? [...parser.terms, ...termsOf(numberText)] : parser.terms,
  }
}

/** Negative if `a` is an earlier version than `b`. */
export const compareNumbers = (a: readonly number[], b: readonly number[]): number => {
  const length = Math.max(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

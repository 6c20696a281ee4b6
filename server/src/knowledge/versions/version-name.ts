/** What a file name says about the version of a document, and the rest of it. */
export interface VersionName {
  /** The name without extension and marks of versions, in lower case; "" if nothing remains. */
  stem: string
  /** `v2.1`: [2, 1]; null if none is named. */
  number: readonly number[] | null
  /** Unix seconds of the day, month or year that is named; null if none is. */
  time: number | null
  /** Whether `time` is a month or a day, as in the names of minutes, reports and invoices. */
  isPeriod: boolean
  /** "old", "archive". */
  isOutdated: boolean
  /** Other words for a state of a document, such as "final". */
  state: string
  /** Numbers and years as they are written, by which a question can refer to the version. */
  terms: readonly string[]
}

const maxLength = 300

/** January is 0. */
const monthByName: ReadonlyMap<string, number> = new Map(
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

const outdatedWords = new Set(
  `old alt alte alter altes outdated obsolete superseded deprecated archive archived archiv veraltet
   überholt ancien ancienne antiguo antigua vecchio oud`.split(/\s+/),
)
const stateWords = new Set(
  `final draft new latest current updated revised copy approved entwurf neu neue neuer neues aktuell
   aktualisiert überarbeitet kopie von endfassung of brouillon nouveau nueva nuevo borrador copia
   version ver rev revision fassung stand ausgabe edition release issue`.split(/\s+/),
)

/** Whether a word, in lower case, names a month or a state of a document. */
export const isVersionWord = (word: string): boolean =>
  outdatedWords.has(word) || stateWords.has(word) || monthByName.has(word)

const separator = /[\s_.,()[\]{}+–-]/u
const start = `(?<=^|${separator.source})`
const end = `(?=$|${separator.source})`
const year = "((?:19|20)\\d\\d)"
const month = "(0[1-9]|1[0-2])"
const day = "(0[1-9]|[12]\\d|3[01])"
const pattern = (source: string): RegExp => new RegExp(`${start}${source}${end}`, "u")

const yearFirst = pattern(`${year}[-_. ]${month}[-_. ]${day}`)
const digitsOnly = pattern(`${year}${month}${day}`)
const dayFirst = pattern(`${day}[-_. ]${month}[-_. ]${year}`)
const yearAndMonth = pattern(`${year}[-_. ]${month}`)
const monthAndYear = pattern(`${month}[-_. ]${year}`)
const yearOnly = pattern(year)
const otherPeriod = pattern("(?:q[1-4]|h[12]|kw ?\\d\\d?|week ?\\d\\d?)")
const versionNumber = pattern(
  "(?:v|ver|version|rev|revision|fassung|ausgabe|edition|issue|release)[-_. ]{0,2}(\\d{1,4}(?:[._]\\d{1,4}){0,3})",
)
/** Not at the start of a name, where chapters are numbered. */
const dottedNumber = new RegExp(`(?<=${separator.source})(\\d{1,3}(?:\\.\\d{1,3}){1,3})${end}`, "u")
const gluedYear = /(\p{L})((?:19|20)\d\d)(?!\d)/gu
/** Added by browsers and file managers to names that exist. */
const copyNumber = /\(\d{1,3}\)$/

/** Removes what names a time from a name. */
class NameParser {
  rest: string
  readonly terms: string[] = []
  time: number | null = null
  isPeriod = false

  constructor(name: string) {
    this.rest = name
  }

  /** Removes the first match. @returns its groups */
  take(expression: RegExp): (string | undefined)[] | null {
    const match = expression.exec(this.rest)
    if (!match) return null
    const { index } = match
    this.rest = `${this.rest.slice(0, index)} ${this.rest.slice(index + match[0].length)}`
    return match.slice(1)
  }

  setTime(yearText: string | undefined, monthNumber = 1, dayNumber = 1): void {
    this.time = Date.UTC(Number(yearText), monthNumber - 1, dayNumber) / 1000
    if (yearText) this.terms.push(yearText)
  }

  takeNumericDate(): boolean {
    const whole = this.take(yearFirst) ?? this.take(digitsOnly)
    const reversed = whole ? null : this.take(dayFirst)?.toReversed()
    const parts =
      whole ?? reversed ?? this.take(yearAndMonth) ?? this.take(monthAndYear)?.toReversed()
    if (!parts) return false
    this.setTime(parts[0], Number(parts[1] ?? 1), Number(parts[2] ?? 1))
    return true
  }

  takeMonthName(): number | undefined {
    const words = this.rest.split(separator)
    const at = words.findIndex((word) => monthByName.has(word))
    if (at < 0) return undefined
    this.rest = words.toSpliced(at, 1).join(" ")
    return monthByName.get(words[at] ?? "")
  }

  takeTime(): void {
    this.isPeriod = this.takeNumericDate()
    if (this.isPeriod) return
    const years = this.take(yearOnly)
    if (!years) return
    const monthNumber = this.takeMonthName()
    this.isPeriod = this.take(otherPeriod) !== null || monthNumber !== undefined
    this.setTime(years[0], (monthNumber ?? 0) + 1)
  }
}

export const parseVersionName = (filename: string): VersionName => {
  const name = filename.slice(0, maxLength).normalize("NFC").toLowerCase()
  const plain = name.replace(/\.[a-z][a-z0-9]{0,4}$/, "").replace(copyNumber, "")
  const parser = new NameParser(plain.replace(gluedYear, "$1 $2"))
  const [versionText] = parser.take(versionNumber) ?? []
  parser.takeTime()
  const [numberText = versionText] = versionText ? [] : (parser.take(dottedNumber) ?? [])
  const words = parser.rest.split(separator).filter(Boolean)
  const isMark = (word: string): boolean => outdatedWords.has(word) || stateWords.has(word)
  const stem = words.filter((word) => !isMark(word)).join(" ")
  return {
    stem: /\p{L}/u.test(stem) ? stem : "",
    number: numberText ? numberText.split(/[._]/).map(Number) : null,
    time: parser.time,
    isPeriod: parser.isPeriod,
    isOutdated: words.some((word) => outdatedWords.has(word)),
    state: words.filter((word) => stateWords.has(word)).join(" "),
    terms: numberText ? [...parser.terms, numberText] : parser.terms,
  }
}

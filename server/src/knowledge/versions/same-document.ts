import { overlapOf, type TextEvidence } from "./text-evidence.ts"
import { compareNumbers, type VersionName } from "./version-name.ts"

export interface ComparedFile {
  name: VersionName
  evidence: TextEvidence
}

/** A text with fewer words proves nothing. */
const minWords = 12
const daySeconds = 86_400
const lastDay = 31

/** Shares of common words, by what the names say. */
const minOverlaps = { numbered: 0.5, named: 0.7, dated: 0.85 }
/** Share of common numbers of documents whose names differ in the day, if they have so many. */
const minNumberOverlap = 0.6
const minNumbers = 5
const minIdentifierOverlap = 0.5
/** A number that follows the same word more often belongs to it, as in "pump 2010". */
const maxMentions = 1
/**
 * Texts that differ in names most of all are about different people, companies or places. The share
 * of names in the difference exceeds that in the text, which is high in German.
 */
const differentNames = { count: 2, share: 0.5, excess: 0.3 }

/** Whether each has something that the other lacks. */
const contradict = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  !a.isSubsetOf(b) && !b.isSubsetOf(a)

/** Whether the numbers of invoices, customers or contracts in the texts contradict each other. */
const haveOtherIdentifiers = (a: TextEvidence, b: TextEvidence): boolean =>
  overlapOf(a.identifiers, b.identifiers) < minIdentifierOverlap ||
  [...a.identifiersByLabel].some(([label, identifiers]) =>
    b.identifiersByLabel.get(label)?.isDisjointFrom(identifiers),
  )

/** Whether names at the beginning of a text are nowhere in the other. */
const isForOther = (own: TextEvidence, other: TextEvidence): boolean =>
  own.openingNames.difference(other.words).size >= differentNames.count

const isAboutOther = (own: TextEvidence, other: TextEvidence): boolean => {
  const different = own.words.difference(other.words)
  const names = [...different].filter((word) => own.names.has(word)).length
  const shareOfText = own.names.size / own.words.size
  const minShare = Math.max(differentNames.share, shareOfText + differentNames.excess)
  return names >= differentNames.count && names >= different.size * minShare
}

const haveOtherTitles = (a: TextEvidence, b: TextEvidence): boolean =>
  contradict(a.models, b.models) ||
  (a.title !== null && b.title !== null && contradict(a.title, b.title))

/** A year or bare number of the name that the text uses as the name of a product. */
const findProduct = ({ name, evidence }: ComparedFile): string | undefined =>
  name.phrases.find((phrase) => (evidence.phrases.get(phrase) ?? 0) > maxMentions)

const areOtherProducts = (a: ComparedFile, b: ComparedFile): boolean => {
  const [one, other] = [findProduct(a), findProduct(b)]
  return one !== undefined && other !== undefined && one !== other
}

const monthOf = (seconds: number): number => new Date(seconds * 1000).getUTCMonth()
const dayOf = (seconds: number): number => new Date(seconds * 1000).getUTCDate()
/** The last days of months are equal. */
const dayInMonth = (seconds: number): number =>
  dayOf(seconds + daySeconds) === 1 ? lastDay : dayOf(seconds)

/** Days in different months that papers appear on which are written each month. */
const areMonthlyDays = (a: number, b: number): boolean =>
  monthOf(a) !== monthOf(b) && dayInMonth(a) === dayInMonth(b)

const isNewerAsNumbered = (a: VersionName, b: VersionName): boolean =>
  a.number !== null &&
  b.number !== null &&
  a.period !== null &&
  b.period !== null &&
  compareNumbers(a.number, b.number) * (a.period.start - b.period.start) > 0

const minOverlapByNumber = (a: VersionName, b: VersionName): number => {
  if ((a.number ?? []).join() === (b.number ?? []).join()) return minOverlaps.named
  return a.isBareNumber || b.isBareNumber ? minOverlaps.dated : minOverlaps.numbered
}

/** Whether both names have times, which differ, and are not both years. */
const areDifferentPeriods = ({ period: a }: VersionName, { period: b }: VersionName): boolean =>
  a !== null && b !== null && a.key !== b.key && !(a.unit === "year" && b.unit === "year")

/**
 * The share of words that texts with these names must have in common; null if the names are of
 * different documents, such as the reports of two months.
 */
const minOverlapOf = (a: VersionName, b: VersionName): number | null => {
  if (!areDifferentPeriods(a, b) || isNewerAsNumbered(a, b)) return minOverlapByNumber(a, b)
  const [one, other] = [a.period, b.period]
  const areDays = one?.unit === "day" && other?.unit === "day"
  return areDays && !areMonthlyDays(one.start, other.start) ? minOverlaps.dated : null
}

const areDifferentDays = ({ period: a }: VersionName, { period: b }: VersionName): boolean =>
  a?.unit === "day" && b?.unit === "day" && a.key !== b.key

/** Documents that are written each day differ in most of their numbers. */
const haveOtherNumbers = (a: TextEvidence, b: TextEvidence): boolean =>
  Math.min(a.numbers.size, b.numbers.size) >= minNumbers &&
  overlapOf(a.numbers, b.numbers) < minNumberOverlap

/** Whether the texts are about other things, people, companies or days, however similar they are. */
const haveOtherSubjects = (a: ComparedFile, b: ComparedFile): boolean => {
  const [one, other] = [a.evidence, b.evidence]
  return (
    haveOtherIdentifiers(one, other) ||
    haveOtherTitles(one, other) ||
    contradict(one.companies, other.companies) ||
    areOtherProducts(a, b) ||
    (areDifferentDays(a.name, b.name) && haveOtherNumbers(one, other)) ||
    (isForOther(one, other) && isForOther(other, one)) ||
    (isAboutOther(one, other) && isAboutOther(other, one))
  )
}

/**
 * Whether two files are versions of one document, rather than two documents written from the same
 * template. Decided for precision: of versions that are not recognized, a reader still has the dates.
 */
export const isSameDocument = (a: ComparedFile, b: ComparedFile): boolean => {
  if (a.name.stem === "" || a.name.stem !== b.name.stem) return false
  const minOverlap = minOverlapOf(a.name, b.name)
  const { words } = a.evidence
  const { words: otherWords } = b.evidence
  return (
    minOverlap !== null &&
    Math.min(words.size, otherWords.size) >= minWords &&
    overlapOf(words, otherWords) >= minOverlap &&
    !haveOtherSubjects(a, b)
  )
}

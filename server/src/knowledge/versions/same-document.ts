import { overlapOf, type TextEvidence } from "./text-evidence.ts"
import type { VersionName } from "./version-name.ts"

export interface ComparedFile {
  name: VersionName
  evidence: TextEvidence
}

/** A text with fewer words proves nothing. */
const minWords = 12

/** Shares of common words, by what the names say. */
const minOverlaps = { numbered: 0.5, named: 0.7, dated: 0.85 }
/** Share of common numbers of documents whose names differ in a month or a day. */
const minNumberOverlap = 0.6
const minIdentifierOverlap = 0.5
/**
 * Texts that differ in names most of all are about different people, companies or places. The share
 * of names in the difference exceeds that in the text, which is high in German.
 */
const differentNames = { count: 2, share: 0.5, excess: 0.3 }

const isNumberedDifferently = (a: VersionName, b: VersionName): boolean =>
  a.isOutdated !== b.isOutdated ||
  a.state !== b.state ||
  (a.number ?? []).join() !== (b.number ?? []).join()

/** Whether the numbers of invoices, customers or contracts in the texts contradict each other. */
const haveOtherIdentifiers = (a: TextEvidence, b: TextEvidence): boolean =>
  overlapOf(a.identifiers, b.identifiers) < minIdentifierOverlap ||
  [...a.identifiersByLabel].some(([label, identifiers]) =>
    b.identifiersByLabel.get(label)?.isDisjointFrom(identifiers),
  )

const isAboutOther = (own: TextEvidence, other: TextEvidence): boolean => {
  const different = own.words.difference(other.words)
  const names = [...different].filter((word) => own.names.has(word)).length
  const shareOfText = own.names.size / own.words.size
  const minShare = Math.max(differentNames.share, shareOfText + differentNames.excess)
  return names >= differentNames.count && names >= different.size * minShare
}

/** Whether each title has words that the other lacks. */
const haveOtherTitles = ({ title: a }: TextEvidence, { title: b }: TextEvidence): boolean =>
  a !== null && b !== null && !a.isSubsetOf(b) && !b.isSubsetOf(a)

/** The texts of files whose names give no reason to take them for other documents. */
const isSameText = (a: TextEvidence, b: TextEvidence): boolean =>
  overlapOf(a.words, b.words) >= minOverlaps.named &&
  !haveOtherTitles(a, b) &&
  !(isAboutOther(a, b) && isAboutOther(b, a))

const isSamePeriodText = (a: TextEvidence, b: TextEvidence): boolean =>
  overlapOf(a.words, b.words) >= minOverlaps.dated &&
  overlapOf(a.numbers, b.numbers) >= minNumberOverlap

const areDifferentPeriods = (a: VersionName, b: VersionName): boolean =>
  a.isPeriod && b.isPeriod && a.time !== b.time

/**
 * Whether two files are versions of one document, rather than two documents written from the same
 * template. Decided for precision: of versions that are not recognized, a reader still has the dates.
 */
export const isSameDocument = (a: ComparedFile, b: ComparedFile): boolean => {
  if (a.name.stem === "" || a.name.stem !== b.name.stem) return false
  const [one, other] = [a.evidence, b.evidence]
  if (Math.min(one.words.size, other.words.size) < minWords) return false
  if (haveOtherIdentifiers(one, other)) return false
  const isNumbered = isNumberedDifferently(a.name, b.name)
  const haveNumbers = isNumbered && a.name.number !== null && b.name.number !== null
  if (areDifferentPeriods(a.name, b.name) && !haveNumbers) return isSamePeriodText(one, other)
  if (isNumbered) return overlapOf(one.words, other.words) >= minOverlaps.numbered
  return isSameText(one, other)
}

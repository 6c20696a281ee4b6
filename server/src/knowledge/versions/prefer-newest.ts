import type { FoundPassage } from "../schema.ts"
import { passageTokens } from "../search/passage-selection.ts"
import type { DocumentVersion, VersionByFile } from "./document-versions.ts"
import { samplePairs } from "./word-pairs.ts"

/** Share of a passage's pairs of words that a newer version has as well; numbers may differ. */
const minRepeated = 0.5

/** Passages that are compared; the others are far down in the ranking. */
const maxCompared = 300

interface Compared {
  passage: FoundPassage
  version: DocumentVersion
  pairs: ReadonlySet<number>
}

/** Passages of one version by the pairs of words in them. */
type PairIndex = Map<number, FoundPassage[]>

/** A pair in more passages of a version does not distinguish them. */
const maxPassagesPerPair = 8

/** The passage with the most of these pairs, if a version has most of them in any. */
const findCounterpart = (
  pairs: ReadonlySet<number>,
  index: PairIndex,
): FoundPassage | undefined => {
  let repeated = 0
  const counts = new Map<FoundPassage, number>()
  for (const pair of pairs) {
    const passages = index.get(pair) ?? []
    if (passages.length > 0) repeated++
    if (passages.length > maxPassagesPerPair) continue
    for (const passage of passages) counts.set(passage, (counts.get(passage) ?? 0) + 1)
  }
  if (repeated < pairs.size * minRepeated) return undefined
  return [...counts].sort(([, a], [, z]) => z - a)[0]?.[0]
}

/** The passages of newer versions that a passage repeats, the counterpart in each. */
const findRepeated = (
  { pairs }: Compared,
  indexByPosition: ReadonlyMap<number, PairIndex>,
  position: number,
): FoundPassage[] => {
  const newer: FoundPassage[] = []
  for (const [other, index] of indexByPosition) {
    if (other >= position) continue
    const counterpart = findCounterpart(pairs, index)
    if (counterpart) newer.push(counterpart)
  }
  return newer
}

const indexPairs = (document: readonly Compared[]): Map<number, PairIndex> => {
  const indexByPosition = new Map<number, PairIndex>()
  for (const { passage, version, pairs } of document) {
    const index: PairIndex = indexByPosition.get(version.position) ?? new Map()
    for (const pair of pairs) {
      const passages = index.get(pair) ?? []
      if (passages.length <= maxPassagesPerPair) passages.push(passage)
      index.set(pair, passages)
    }
    indexByPosition.set(version.position, index)
  }
  return indexByPosition
}

/** By passage of an older version: those of newer versions that it repeats. */
const findRepetitions = (compared: readonly Compared[]): Map<FoundPassage, FoundPassage[]> => {
  const repetitions = new Map<FoundPassage, FoundPassage[]>()
  for (const document of Map.groupBy(compared, ({ version }) => version.newest.id).values()) {
    const indexByPosition = indexPairs(document)
    for (const one of document) {
      const newer = findRepeated(one, indexByPosition, one.version.position)
      if (newer.length > 0) repetitions.set(one.passage, newer)
    }
  }
  return repetitions
}

/** Whether a question refers to a version, such as "the 2023 policy". */
const isNamedIn = (question: string, { terms }: DocumentVersion): boolean =>
  question
    .toLowerCase()
    .split(/[^\p{L}\p{N}.]+/u)
    .some((word) => terms.has(word) || terms.has(word.replace(/^v|\.$/g, "")))

export interface OrderedPassages {
  /** The newest version before the older one that repeats it. */
  passages: FoundPassage[]
  /** Repetitions in further versions, which are only for space that is left. */
  repetitions: FoundPassage[]
}

export interface VersionPreference {
  versions: VersionByFile
  question: string
  /** For passages that newer ones repeat. */
  maxOlderTokens: number
}

/**
 * Orders ranked passages such that of each one that several versions of a document have, the newest
 * comes first and at most one older one follows. A version that the question names keeps its place.
 */
export const preferNewest = (
  ranked: readonly FoundPassage[],
  { versions, question, maxOlderTokens }: VersionPreference,
): OrderedPassages => {
  const compared = ranked.slice(0, maxCompared).flatMap((passage): Compared[] => {
    const version = versions.get(passage.file_id)
    return version ? [{ passage, version, pairs: samplePairs(passage.text) }] : []
  })
  const repetitions = findRepetitions(compared)
  const ordered = new Set<FoundPassage>()
  const later = new Set<FoundPassage>()
  let olderTokens = 0
  const isWanted = (passage: FoundPassage, newer: readonly FoundPassage[]): boolean => {
    const version = versions.get(passage.file_id)
    if (newer.length === 0 || !version || isNamedIn(question, version)) return true
    olderTokens += passageTokens(passage)
    return newer.length === 1 && olderTokens <= maxOlderTokens
  }
  for (const passage of ranked) {
    const newer = repetitions.get(passage) ?? []
    for (const one of newer) if (!repetitions.has(one)) ordered.add(one)
    if (isWanted(passage, newer)) ordered.add(passage)
    else later.add(passage)
  }
  return { passages: [...ordered], repetitions: [...later] }
}

/**
 * Puts the passages of newer versions before those of older ones, each document in the places that
 * its passages have.
 */
export const orderByVersion = <T extends Pick<FoundPassage, "version">>(
  passages: readonly T[],
): T[] => {
  const documentOf = ({ version }: T): string => version?.newest.file_id ?? ""
  const positionOf = ({ version }: T): number => version?.position ?? 0
  const queueByDocument = new Map(
    [...Map.groupBy(passages, documentOf)].map(([id, all]) => [
      id,
      all.toSorted((a, z) => positionOf(a) - positionOf(z)).values(),
    ]),
  )
  return passages.flatMap((passage) => queueByDocument.get(documentOf(passage))?.next().value ?? [])
}

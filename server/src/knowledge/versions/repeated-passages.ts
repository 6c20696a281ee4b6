import type { FoundPassage } from "../schema.ts"
import { samplePairs } from "./word-pairs.ts"

/** Share of a passage's pairs of words that a newer version has as well; numbers may differ. */
const minRepeated = 0.5

/** Passages that are compared; the others are far down in the ranking. */
const maxCompared = 300

interface Compared {
  passage: FoundPassage
  position: number
  pairs: ReadonlySet<number>
}

/** By passage of an older version: those of newer versions that it repeats, the newest first. */
export type Repetitions = ReadonlyMap<FoundPassage, readonly FoundPassage[]>

/** Passages of one version by their texts and the pairs of words in them. */
interface VersionIndex {
  byText: Map<string, FoundPassage>
  byPair: Map<number, FoundPassage[]>
}

/** A pair in more passages of a version does not distinguish them. */
const maxPassagesPerPair = 8

/** The equal passage, or the one with the most of the pairs if a version has most of them in any. */
const findCounterpart = (
  { passage: { text }, pairs }: Compared,
  { byText, byPair }: VersionIndex,
): FoundPassage | undefined => {
  const equal = byText.get(text)
  if (equal) return equal
  let repeated = 0
  const counts = new Map<FoundPassage, number>()
  for (const pair of pairs) {
    const passages = byPair.get(pair) ?? []
    if (passages.length > 0) repeated++
    if (passages.length > maxPassagesPerPair) continue
    for (const passage of passages) counts.set(passage, (counts.get(passage) ?? 0) + 1)
  }
  if (repeated < pairs.size * minRepeated) return undefined
  return [...counts].sort(([, a], [, z]) => z - a)[0]?.[0]
}

/** The passages of newer versions that a passage repeats, the counterpart in each. */
const findRepeated = (
  compared: Compared,
  indexByPosition: readonly (readonly [number, VersionIndex])[],
): FoundPassage[] => {
  const newer: FoundPassage[] = []
  for (const [other, index] of indexByPosition) {
    if (other >= compared.position) break
    const counterpart = findCounterpart(compared, index)
    if (counterpart) newer.push(counterpart)
  }
  return newer
}

const indexPairs = (document: readonly Compared[]): [number, VersionIndex][] => {
  const indexByPosition = new Map<number, VersionIndex>()
  for (const { passage, position, pairs } of document) {
    const index = indexByPosition.get(position) ?? { byText: new Map(), byPair: new Map() }
    if (!index.byText.has(passage.text)) index.byText.set(passage.text, passage)
    for (const pair of pairs) {
      const passages = index.byPair.get(pair) ?? []
      if (passages.length <= maxPassagesPerPair) passages.push(passage)
      index.byPair.set(pair, passages)
    }
    indexByPosition.set(position, index)
  }
  return [...indexByPosition].sort(([a], [z]) => a - z)
}

/** Links passages that have a `version` to those of newer versions of the document. */
export const findRepetitions = (ranked: readonly FoundPassage[]): Repetitions => {
  const compared = ranked.slice(0, maxCompared).flatMap((passage) => {
    const { version, text } = passage
    const newestId = version?.newest.file_id
    return version
      ? [{ passage, newestId, position: version.position, pairs: samplePairs(text) }]
      : []
  })
  const repetitions = new Map<FoundPassage, FoundPassage[]>()
  for (const document of Map.groupBy(compared, ({ newestId }) => newestId).values()) {
    const indexByPosition = indexPairs(document)
    for (const one of document) {
      const newer = findRepeated(one, indexByPosition)
      if (newer.length > 0) repetitions.set(one.passage, newer)
    }
  }
  return repetitions
}

import type { FoundPassage } from "../schema.ts"

/** Whether `z` overlaps or continues `a` on the same page, slide or sheet. */
const isContinuedBy = (a: FoundPassage, z: FoundPassage): boolean =>
  a.file_id === z.file_id &&
  z.start >= a.start &&
  z.start <= a.end &&
  a.page === z.page &&
  a.slide === z.slide &&
  a.sheet === z.sheet

/** Both as one passage, with the scores of the better one. */
const merge = (a: FoundPassage, z: FoundPassage): FoundPassage => {
  const better = a.score >= z.score ? a : z
  const text = z.end > a.end ? a.text + z.text.slice(a.end - z.start) : a.text
  const merged = a.merged + z.merged
  return { ...better, text, start: a.start, end: Math.max(a.end, z.end), merged }
}

/**
 * Long paragraphs are split with an overlap; adjacent passages are merged, so that no text is sent
 * twice. The result is ordered by the best rank of the passages merged into each.
 */
export const mergeAdjacentPassages = (passages: readonly FoundPassage[]): FoundPassage[] => {
  const ranked = passages.map((passage, rank) => ({ passage, rank }))
  const ordered = ranked.toSorted(
    (a, z) =>
      a.passage.file_id.localeCompare(z.passage.file_id) || a.passage.start - z.passage.start,
  )
  const merged: typeof ranked = []
  for (const entry of ordered) {
    const last = merged.at(-1)
    if (!last || !isContinuedBy(last.passage, entry.passage)) {
      merged.push({ ...entry })
      continue
    }
    last.passage = merge(last.passage, entry.passage)
    last.rank = Math.min(last.rank, entry.rank)
  }
  return merged.sort((a, z) => a.rank - z.rank).map(({ passage }) => passage)
}

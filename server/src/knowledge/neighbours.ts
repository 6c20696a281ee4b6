import type { FoundPassage } from "./schema.ts"

/** They overlap, and say the same of where they stand. */
const isContinued = (a: FoundPassage, z: FoundPassage): boolean =>
  a.file_id === z.file_id &&
  z.start >= a.start &&
  z.start <= a.end &&
  a.page === z.page &&
  a.slide === z.slide &&
  a.sheet === z.sheet

/** Both as the one piece of text that they are parts of; with the rank of the better one. */
const joined = (a: FoundPassage, z: FoundPassage): FoundPassage => {
  const better = a.score >= z.score ? a : z
  const text = z.end > a.end ? a.text + z.text.slice(a.end - z.start) : a.text
  return { ...better, text, start: a.start, end: Math.max(a.end, z.end) }
}

/**
 * Long paragraphs are cut with an overlap; pieces that follow each other are put together again, so
 * that nothing is told twice. In the order of the best piece of each.
 */
export const mergeNeighbours = (passages: readonly FoundPassage[]): FoundPassage[] => {
  const ranked = passages.map((passage, rank) => ({ passage, rank }))
  const ordered = ranked.toSorted(
    (a, z) =>
      a.passage.file_id.localeCompare(z.passage.file_id) || a.passage.start - z.passage.start,
  )
  const merged: typeof ranked = []
  for (const one of ordered) {
    const last = merged.at(-1)
    if (!last || !isContinued(last.passage, one.passage)) {
      merged.push({ ...one })
      continue
    }
    last.passage = joined(last.passage, one.passage)
    last.rank = Math.min(last.rank, one.rank)
  }
  return merged.sort((a, z) => a.rank - z.rank).map(({ passage }) => passage)
}

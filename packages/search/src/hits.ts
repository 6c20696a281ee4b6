/** A passage: the file's index in the search scope, and the position in the file. */
export interface PassagePosition {
  file: number
  passage: number
}

export interface ScoredHit extends PassagePosition {
  score: number
}

export const hitKey = ({ file, passage }: PassagePosition): string => `${file}:${passage}`

/** Best first; ties are ordered by file and passage. */
export const compareHits = (a: ScoredHit, z: ScoredHit): number =>
  z.score - a.score || a.file - z.file || a.passage - z.passage

/**
 * Collects the best `limit` hits.
 * @param minScore hits with a lower score are never collected
 */
export const createHitCollector = (limit: number, minScore: number) => {
  const hits: ScoredHit[] = []
  let lowest = minScore
  const trim = (): void => {
    hits.sort(compareHits)
    if (hits.length < limit) return
    hits.length = limit
    lowest = hits.at(-1)?.score ?? lowest
  }
  return {
    /** Whether a hit with this score may be among the best. */
    mayInclude: (score: number): boolean => score >= lowest,
    add: (hit: ScoredHit): void => {
      hits.push(hit)
      if (hits.length > limit * 4) trim()
    },
    /** The best hits, best first. */
    best: (): ScoredHit[] => {
      trim()
      return hits
    },
  }
}

export type HitCollector = ReturnType<typeof createHitCollector>

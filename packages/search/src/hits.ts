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

/** Collects the best `limit` hits, none with a score below `minScore`. */
export class HitCollector {
  readonly #limit: number
  readonly #hits: ScoredHit[] = []
  #lowest: number

  constructor(limit: number, minScore: number) {
    this.#limit = limit
    this.#lowest = minScore
  }

  /** Whether a hit with this score may be among the best. */
  mayInclude(score: number): boolean {
    return score >= this.#lowest
  }

  add(hit: ScoredHit): void {
    this.#hits.push(hit)
    if (this.#hits.length > this.#limit * 4) this.#trim()
  }

  /** The best hits, best first. */
  best(): ScoredHit[] {
    this.#trim()
    return this.#hits
  }

  #trim(): void {
    this.#hits.sort(compareHits)
    if (this.#hits.length < this.#limit) return
    this.#hits.length = this.#limit
    this.#lowest = this.#hits.at(-1)?.score ?? this.#lowest
  }
}

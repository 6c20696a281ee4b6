import type { RankedScore, SearchWay } from "./schema.ts"

/** Number of hits used from each ranking. */
export const candidates = 100
/** Weight of semantic similarity relative to BM25, from 0 to 1. */
const denseWeight = 0.6

/** A passage: the file's index in the search scope, and the position in the file. */
interface Position {
  file: number
  passage: number
}

interface Hit extends Position {
  score: number
}

interface Scored extends Position {
  lexical: RankedScore | null
  dense: RankedScore | null
}

export interface RankedHit extends Scored {
  /** From 1 for the best hit of this search to 0. */
  score: number
  /** Found only through the previous question. */
  fromPrevious: boolean
}

/** The hits of one question, best first. */
export interface Hits {
  lexical: readonly Hit[]
  /** Null if there was no semantic search. */
  dense: readonly Hit[] | null
  /** Number of passages searched. */
  total: number
  /** Files with passages that have no embedding yet. */
  incomplete?: ReadonlySet<number>
}

export const keyOf = ({ file, passage }: Position): string => `${file}:${passage}`

/** Standard scores over the best hits; passages without a hit get the lowest of them. */
const normalize = (hits: readonly Hit[], length: number): ((hit: Position) => number) => {
  const scores = hits.map(({ score }) => score)
  while (scores.length < length) scores.push(0)
  const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length)
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0)
  const deviation = Math.sqrt(variance / Math.max(1, scores.length))
  const floor = scores.at(-1) ?? 0
  const scoreByKey = new Map(hits.map((hit) => [keyOf(hit), hit.score]))
  return (hit) => {
    const score = scoreByKey.get(keyOf(hit)) ?? floor
    return deviation === 0 ? 0 : (Math.max(score, floor) - mean) / deviation
  }
}

interface Scoring {
  hits: Map<string, Scored>
  scoreOf: (hit: Position) => number
}

/** Combines both rankings of a question into one score for any passage. */
const score = ({ lexical, dense, total, incomplete }: Hits): Scoring => {
  const best = { lexical: lexical.slice(0, candidates), dense: dense?.slice(0, candidates) ?? [] }
  const hits = new Map<string, Scored>()
  for (const name of ["lexical", "dense"] as const) {
    for (const [at, hit] of best[name].entries()) {
      const { file, passage } = hit
      const known = hits.get(keyOf(hit)) ?? { file, passage, lexical: null, dense: null }
      hits.set(keyOf(hit), { ...known, [name]: { rank: at + 1, score: hit.score } })
    }
  }
  // Padded with zeros for passages without a hit, so that the only match of an identifier counts
  // fully.
  const lexicalScore = normalize(best.lexical, Math.min(candidates, total))
  const denseScore = normalize(best.dense, 0)
  const weight = best.dense.length > 0 ? denseWeight : 0
  /** The mean if the passage may lack an embedding, which must not count against it. */
  const semanticScore = (hit: Position): number =>
    incomplete?.has(hit.file) && !hits.get(keyOf(hit))?.dense ? 0 : denseScore(hit)
  return {
    hits,
    scoreOf: (hit) => weight * semanticScore(hit) + (1 - weight) * lexicalScore(hit),
  }
}

const sort = (hits: ReadonlyMap<string, Scored>, scoreOf: Scoring["scoreOf"]) => {
  const scored = [...hits.values()].map((hit) => ({ ...hit, score: scoreOf(hit) }))
  scored.sort((a, z) => z.score - a.score || a.file - z.file || a.passage - z.passage)
  const best = scored[0]?.score ?? 0
  const range = best - (scored.at(-1)?.score ?? 0) || 1
  return scored.map((hit) => ({ ...hit, score: 1 - (best - hit.score) / range }))
}

/** Alternates between two lists, without duplicates. */
export const interleave = <T extends Position>(a: readonly T[], b: readonly T[]): T[] => {
  const merged = new Map<string, T>()
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    for (const hit of [a[at], b[at]]) {
      if (hit && !merged.has(keyOf(hit))) merged.set(keyOf(hit), hit)
    }
  }
  return [...merged.values()]
}

/** Ranks the passages of one question, best first. */
export const rank = (hits: Hits): RankedHit[] => {
  const { hits: found, scoreOf } = score(hits)
  return sort(found, scoreOf).map((hit) => ({ ...hit, fromPrevious: false }))
}

/**
 * Ranks the passages of a follow-up question by it and the previous question, each scored
 * separately: "And on Sundays?" says little on its own.
 */
export const rankWithPrevious = (last: Hits, previous: Hits): RankedHit[] => {
  const [a, b] = [score(last), score(previous)]
  const hits = new Map<string, Scored>(a.hits)
  for (const [key, hit] of b.hits) {
    if (!hits.has(key)) hits.set(key, { ...hit, lexical: null, dense: null })
  }
  return sort(hits, (hit) => a.scoreOf(hit) + b.scoreOf(hit)).map((hit) => ({
    ...hit,
    fromPrevious: hit.lexical === null && hit.dense === null,
  }))
}

/** The retrieval mode that was actually used. */
export const modeOf = ({ lexical, dense }: { lexical: boolean; dense: boolean }): SearchWay => {
  if (!dense) return "lexical"
  return lexical ? "hybrid" : "dense"
}

import { compareHits, hitKey, type PassagePosition, type ScoredHit } from "./hits.ts"

/** Number of hits of each ranking over which its scores are standardized. */
export const maxCandidates = 100
/** Weight of semantic similarity relative to BM25, from 0 to 1. */
const denseWeight = 0.6

/** The position of a passage in one ranking, from 1, and its score there. */
export interface RankedScore {
  rank: number
  score: number
}

interface RankedPosition extends PassagePosition {
  lexical: RankedScore | null
  dense: RankedScore | null
}

export interface RankedHit extends RankedPosition {
  /** From 1 for the best hit of this search to 0. */
  score: number
  /** Found only through the previous question. */
  fromPrevious: boolean
}

/** The hits of one question, best first. */
export interface SearchHits {
  lexical: readonly ScoredHit[]
  /** Null if there was no semantic search. */
  dense: readonly ScoredHit[] | null
  /** Number of passages searched. */
  total: number
  /** Files with passages that have no embedding yet. */
  incomplete?: ReadonlySet<number>
}

/**
 * Standard scores over the best hits; passages without a hit get the lowest of all. Over more hits,
 * the score of the best would grow with the number of hits.
 */
const normalize = (
  hits: readonly ScoredHit[],
  length: number,
): ((hit: PassagePosition) => number) => {
  const scores = hits.slice(0, maxCandidates).map(({ score }) => score)
  while (scores.length < length) scores.push(0)
  const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length)
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0)
  const deviation = Math.sqrt(variance / Math.max(1, scores.length))
  const floor = Math.min(scores.at(-1) ?? 0, hits.at(-1)?.score ?? 0)
  const scoreByKey = new Map(hits.map((hit) => [hitKey(hit), hit.score]))
  return (hit) => {
    const score = scoreByKey.get(hitKey(hit)) ?? floor
    return deviation === 0 ? 0 : (Math.max(score, floor) - mean) / deviation
  }
}

interface CombinedScores {
  hits: Map<string, RankedPosition>
  scoreOf: (hit: PassagePosition) => number
}

/** Combines both rankings of a question into one score for any passage. */
const combineScores = ({ lexical, dense, total, incomplete }: SearchHits): CombinedScores => {
  const rankings = { lexical, dense: dense ?? [] }
  const hits = new Map<string, RankedPosition>()
  for (const name of ["lexical", "dense"] as const) {
    for (const [at, hit] of rankings[name].entries()) {
      const { file, passage } = hit
      const known = hits.get(hitKey(hit)) ?? { file, passage, lexical: null, dense: null }
      hits.set(hitKey(hit), { ...known, [name]: { rank: at + 1, score: hit.score } })
    }
  }
  // Padded with zeros for passages without a hit, so that the only match of an identifier counts
  // fully.
  const lexicalScore = normalize(rankings.lexical, Math.min(maxCandidates, total))
  const denseScore = normalize(rankings.dense, 0)
  const weight = rankings.dense.length > 0 ? denseWeight : 0
  /** The mean if the passage may lack an embedding, which must not count against it. */
  const semanticScore = (hit: PassagePosition): number =>
    incomplete?.has(hit.file) && !hits.get(hitKey(hit))?.dense ? 0 : denseScore(hit)
  return {
    hits,
    scoreOf: (hit) => weight * semanticScore(hit) + (1 - weight) * lexicalScore(hit),
  }
}

const sort = (hits: ReadonlyMap<string, RankedPosition>, scoreOf: CombinedScores["scoreOf"]) => {
  const scored = [...hits.values()].map((hit) => ({ ...hit, score: scoreOf(hit) }))
  scored.sort(compareHits)
  const best = scored[0]?.score ?? 0
  const range = best - (scored.at(-1)?.score ?? 0) || 1
  return scored.map((hit) => ({ ...hit, score: 1 - (best - hit.score) / range }))
}

/** Alternates between lists, without duplicates. */
export const interleaveHits = <T extends PassagePosition>(...lists: (readonly T[])[]): T[] => {
  const merged = new Map<string, T>()
  const length = Math.max(0, ...lists.map((list) => list.length))
  for (let at = 0; at < length; at++) {
    for (const hit of lists.map((list) => list[at])) {
      if (hit && !merged.has(hitKey(hit))) merged.set(hitKey(hit), hit)
    }
  }
  return [...merged.values()]
}

/** Ranks the passages of one question, best first. */
export const rankHits = (hits: SearchHits): RankedHit[] => {
  const { hits: found, scoreOf } = combineScores(hits)
  return sort(found, scoreOf).map((hit) => ({ ...hit, fromPrevious: false }))
}

/**
 * Ranks the passages of a follow-up question by it and the previous question, each scored
 * separately: "And on Sundays?" says little on its own.
 */
export const rankFollowUp = (last: SearchHits, previous: SearchHits): RankedHit[] => {
  const [a, b] = [combineScores(last), combineScores(previous)]
  const hits = new Map<string, RankedPosition>(a.hits)
  for (const [key, hit] of b.hits) {
    if (!hits.has(key)) hits.set(key, { ...hit, lexical: null, dense: null })
  }
  return sort(hits, (hit) => a.scoreOf(hit) + b.scoreOf(hit)).map((hit) => ({
    ...hit,
    fromPrevious: hit.lexical === null && hit.dense === null,
  }))
}

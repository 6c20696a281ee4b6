import type { LexicalHit } from "./lexical.ts"
import type { SearchWay } from "./schema.ts"
import type { Found } from "./searcher.ts"

/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const k = 60

/** Of what was asked for, a passage must have this share to be found by its words. */
const leastCoverage = 0.2
/** And this share of the best one's score. */
const leastOfBest = 0.35
/** Closer than this by meaning, whatever the model. */
const leastSimilarity = 0.4
/** How far a passage must stand out, in standard deviations, where there are enough to tell. */
const outstanding = 2.5
const enoughToTell = 20
const similarAlone = 0.72
/** Further behind the best by meaning than this, it is of another matter. */
const farBehind = 0.15

export interface Leg {
  rank: number
  score: number
}

export interface Fused {
  file: number
  passage: number
  /** 1 for what is first in all legs. */
  score: number
  lexical: Leg | null
  dense: Leg | null
  /** Why a chat would not be given it; null when it would. */
  cut: string | null
}

const keyOf = ({ file, passage }: { file: number; passage: number }): string => `${file}:${passage}`

const wordsFit = (hit: LexicalHit | undefined, best: number): boolean =>
  hit !== undefined && hit.coverage >= leastCoverage && hit.score >= best * leastOfBest

const meaningFits = (
  score: number | undefined,
  best: number,
  { mean, deviation, count }: Found["spread"],
): boolean => {
  if (score === undefined || score < leastSimilarity || score < best - farBehind) return false
  return count < enoughToTell ? score >= similarAlone : score >= mean + outstanding * deviation
}

type Ranked<T> = T & Leg

const ranked = <T extends { file: number; passage: number }>(hits: readonly T[]) =>
  new Map(hits.map((hit, index) => [keyOf(hit), { ...hit, rank: index + 1 }]))

const legOf = (hit: Ranked<unknown> | undefined): Leg | null =>
  hit ? { rank: hit.rank, score: hit.score } : null

/** One order out of two, each passage with why it is where it is. */
export const fuse = ({ lexical, dense, spread }: Found, way: SearchWay): Fused[] => {
  const words = ranked(lexical)
  const meanings = ranked(dense)
  const legs = way === "hybrid" && dense.length > 0 ? 2 : 1
  const bestWords = lexical[0]?.score ?? 0
  const bestMeaning = dense[0]?.score ?? 0

  const judge = ([key, { file, passage }]: [string, { file: number; passage: number }]): Fused => {
    const word = words.get(key)
    const meaning = meanings.get(key)
    const sum = [word, meaning].reduce((all, hit) => all + (hit ? 1 / (k + hit.rank) : 0), 0)
    const fits = wordsFit(word, bestWords) || meaningFits(meaning?.score, bestMeaning, spread)
    return {
      file,
      passage,
      score: Math.min(1, (sum * (k + 1)) / legs),
      lexical: legOf(word),
      dense: legOf(meaning),
      cut: fits ? null : "too little in common with the question",
    }
  }
  return [...new Map([...words, ...meanings])]
    .map(judge)
    .sort((a, z) => z.score - a.score || a.file - z.file || a.passage - z.passage)
}

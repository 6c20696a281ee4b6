import { hitKey, maxCandidates, type RankedHit, rankHits, type SearchHits } from "@portico/search"
import { isReserved } from "./passage-selection.ts"

/** Ranked passages whose text is read for each that is wanted, because some are duplicates. */
const rankedPerPassage = 2
/** Passages wanted unless a query says how many. */
const defaultPassages = 40

/** A hit, and the rewritten query that found it; null if it was found without one. */
export type PlacedHit = RankedHit & { foundBy: string | null }

/** The hits of one query, best first. */
export interface Ranking {
  query: string
  hits: PlacedHit[]
}

export const maxRankedFor = (maxPassages = defaultPassages): number =>
  maxPassages * rankedPerPassage

/** The position in a ranking; null unless among its best. */
export const topScore = (ranked: RankedHit["lexical"]): RankedHit["lexical"] =>
  ranked !== null && ranked.rank <= maxCandidates ? ranked : null

/** The ranking of what was asked: its best hits, and those that have a place reserved. */
export const toRanking = (
  query: string,
  hits: readonly RankedHit[],
  maxRanked: number,
): Ranking => ({
  query,
  hits: hits
    .filter((hit, at) => at < maxRanked || isReserved(hit))
    .map((hit) => ({ ...hit, foundBy: null })),
})

/**
 * The rankings of rewritten queries, together no longer than one of a question. Only ranks for the
 * question itself are shown, and reserve places.
 */
export const rankRewritten = (
  plain: readonly Ranking[],
  results: readonly { query: string; hits: SearchHits }[],
  maxRanked: number,
): Ranking[] => {
  const plainHits = new Map(plain.flatMap(({ hits }) => hits.map((hit) => [hitKey(hit), hit])))
  const maxHits = Math.ceil(maxRanked / Math.max(1, results.length))
  return results.map(({ query, hits }) => ({
    query,
    hits: rankHits(hits)
      .slice(0, maxHits)
      .map((hit) => {
        const { lexical = null, dense = null } = plainHits.get(hitKey(hit)) ?? {}
        return { ...hit, lexical, dense, foundBy: query }
      }),
  }))
}

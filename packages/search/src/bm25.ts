import { HitCollector, type ScoredHit } from "./hits.ts"
import { extractQueryTerms, type QueryTerm } from "./query-terms.ts"
import { postingsOf, type Segment, type SegmentScope } from "./segment-cache.ts"
import {
  countOccurrences,
  createSearchScope,
  findTerm,
  type Occurrences,
  type SearchScope,
} from "./term-lookup.ts"

/** BM25 (Robertson and Zaragoza, 2009), with constants measured on XQuAD (`npm run bench:answers`). */
const k1 = 1.2
const b = 0.6
/** Weight of a term in the file's name relative to one in the text. */
const nameWeight = 1
/** Terms in more than this share of passages are skipped if rarer ones have enough hits. */
const maxFrequency = 0.5

interface WeightedTerm extends QueryTerm {
  /** With the inverse document frequency. */
  weight: number
}

/** The score that a term adds to a passage in which it occurs `count` times. */
const termScore = (weight: number, count: number, norm: number): number =>
  (weight * count * (k1 + 1)) / (count + norm)

const addTextScores = (
  { segment }: SearchScope,
  spans: readonly number[],
  { kind, weight }: WeightedTerm,
): void => {
  const { scores, norms } = segment
  const { passages, frequencies } = postingsOf(segment.words, kind)
  for (let span = 0; span < spans.length; span += 2) {
    const to = spans[span + 1] ?? 0
    for (let at = spans[span] ?? 0; at < to; at++) {
      const passage = passages[at] as number
      const count = frequencies ? (frequencies[at] as number) : 1
      const gain = termScore(weight, count, norms[passage] as number)
      scores[passage] = (scores[passage] as number) + gain
    }
  }
}

/** Terms of a file's name count as if they occurred once more in each of its passages. */
const addFilenameScores = (scope: SearchScope, file: number, term: WeightedTerm): void => {
  const { starts, scores, norms } = scope.segment
  const first = starts[file] ?? 0
  for (const [at, count] of countOccurrences(scope.segment, term, file).entries()) {
    const passage = first + at
    const norm = norms[passage] ?? 0
    const more = term.kind === "trigram" && count > 0 ? 0 : nameWeight
    const gain = termScore(term.weight, count + more, norm) - termScore(term.weight, count, norm)
    scores[passage] = (scores[passage] ?? 0) + gain
  }
}

/** Clears the scores of the previous search and computes each passage's length normalization. */
const resetScores = ({ runs, segment }: SearchScope, average: number): void => {
  const { scores, norms } = segment
  const { lengths } = segment.words
  const [least, perWord] = [k1 * (1 - b), (k1 * b) / average]
  for (let run = 0; run < runs.length; run += 2) {
    const from = runs[run] ?? 0
    const to = runs[run + 1] ?? from
    scores.fill(0, from, to)
    for (let at = from; at < to; at++) norms[at] = least + perWord * (lengths[at] as number)
  }
}

interface TermOccurrences {
  term: QueryTerm
  occurrences: (Occurrences & { scope: SearchScope })[]
  /** Number of passages with the term. */
  frequency: number
}

const findTerms = (
  scopes: readonly SearchScope[],
  terms: readonly QueryTerm[],
): TermOccurrences[] => {
  const found = terms.map((term) => {
    const occurrences = scopes.map((scope) => ({ scope, ...findTerm(scope, term) }))
    const frequency = occurrences.reduce((sum, inScope) => sum + inScope.frequency, 0)
    return { term, occurrences, frequency }
  })
  const matched = new Set(found.flatMap(({ term, frequency }) => (frequency > 0 ? term.hash : [])))
  return found.filter(({ term }) => term.insteadOf === null || !matched.has(term.insteadOf))
}

/**
 * Drops terms that most passages contain if a rarer one has enough hits: they add almost nothing to
 * the score but take most of the time.
 */
const skipFrequent = (
  terms: TermOccurrences[],
  total: number,
  limit: number,
): TermOccurrences[] => {
  const rarer = terms.filter(({ frequency }) => frequency <= total * maxFrequency)
  return rarer.some(({ frequency }) => frequency >= limit) ? rarer : terms
}

const scoreTerm = ({ term, occurrences, frequency }: TermOccurrences, total: number): void => {
  if (frequency === 0) return
  const idf = Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
  const weighted = { ...term, weight: term.weight * idf }
  for (const { scope, spans, filesByName } of occurrences) {
    addTextScores(scope, spans, weighted)
    for (const file of filesByName) addFilenameScores(scope, file, weighted)
  }
}

/** Offers the passages of one file as hits. */
const collectFileHits = (
  hits: HitCollector,
  { starts, scores }: Segment,
  { index, file }: { index: number; file: number },
): void => {
  const first = starts[index] as number
  const end = starts[index + 1] as number
  for (let at = first; at < end; at++) {
    const score = scores[at] as number
    if (hits.mayInclude(score)) hits.add({ file, passage: at - first, score })
  }
}

/** The best passages by BM25, ties in the order of the files, and the number searched. */
export const searchLexical = (
  parts: readonly SegmentScope[],
  query: string,
  limit: number,
): { hits: ScoredHit[]; total: number } => {
  const scopes = parts.map(createSearchScope)
  const total = scopes.reduce((sum, scope) => sum + scope.total, 0)
  const length = scopes.reduce((sum, scope) => sum + scope.length, 0)
  for (const scope of scopes) resetScores(scope, Math.max(1, length / Math.max(1, total)))
  const terms = findTerms(scopes, extractQueryTerms(query))
  for (const term of skipFrequent(terms, total, limit)) scoreTerm(term, total)
  // A passage without any term has a score of zero.
  const hits = new HitCollector(limit, Number.MIN_VALUE)
  for (const { segment, order } of scopes) {
    for (const [index, file] of order.entries()) {
      if (file >= 0) collectFileHits(hits, segment, { index, file })
    }
  }
  return { hits: hits.best(), total }
}

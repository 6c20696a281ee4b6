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
import { selectTerms, type TermStatistics } from "./term-selection.ts"

/** BM25 (Robertson and Zaragoza, 2009), with constants measured on XQuAD (`npm run bench:answers`). */
const k1 = 1.2
const b = 0.6
/** Weight of a term in the file's name relative to one in the text. */
const nameWeight = 1
interface WeightedTerm extends TermStatistics {
  term: QueryTerm
  occurrences: (Occurrences & { scope: SearchScope })[]
}

/** The score that a term adds to a passage in which it occurs `count` times. */
const termScore = (weight: number, count: number, norm: number): number =>
  (weight * count * (k1 + 1)) / (count + norm)

const addTextScores = (
  { segment }: SearchScope,
  spans: readonly number[],
  { term, weight }: WeightedTerm,
): void => {
  const { scores, norms } = segment
  const { passages, frequencies } = postingsOf(segment.words, term.kind)
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
const addFilenameScores = (
  scope: SearchScope,
  file: number,
  { term, weight }: WeightedTerm,
): void => {
  const { starts, scores, norms } = scope.segment
  const first = starts[file] ?? 0
  const counts = countOccurrences(scope.segment, term, file)
  for (let at = 0; at < counts.length; at++) {
    const passage = first + at
    const count = counts[at] as number
    const norm = norms[passage] as number
    const more = term.kind === "trigram" && count > 0 ? 0 : nameWeight
    const gain = termScore(weight, count + more, norm) - termScore(weight, count, norm)
    scores[passage] = (scores[passage] as number) + gain
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

/** Finds the terms of a query, without spellings that another one replaces. */
const findTerms = (
  scopes: readonly SearchScope[],
  terms: readonly QueryTerm[],
  total: number,
): WeightedTerm[] => {
  const found = terms.map((term) => {
    const occurrences = scopes.map((scope) => ({ scope, ...findTerm(scope, term) }))
    const frequency = occurrences.reduce((sum, inScope) => sum + inScope.frequency, 0)
    const idf = Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
    return { term, occurrences, frequency, weight: term.weight * idf }
  })
  const matched = new Set(found.flatMap(({ term, frequency }) => (frequency > 0 ? term.hash : [])))
  return found.filter(
    ({ term: { insteadOf }, frequency }) =>
      frequency > 0 && (insteadOf === null || !matched.has(insteadOf)),
  )
}

const scoreTerm = (term: WeightedTerm): void => {
  for (const { scope, spans, filesByName } of term.occurrences) {
    addTextScores(scope, spans, term)
    for (const file of filesByName) addFilenameScores(scope, file, term)
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
  const terms = findTerms(scopes, extractQueryTerms(query), total)
  for (const term of selectTerms(terms, { total, limit })) scoreTerm(term)
  // A passage without any term has a score of zero.
  const hits = new HitCollector(limit, Number.MIN_VALUE)
  for (const { segment, order } of scopes) {
    for (const [index, file] of order.entries()) {
      if (file >= 0) collectFileHits(hits, segment, { index, file })
    }
  }
  return { hits: hits.best(), total }
}

import { hashOf, termsOf, weights } from "../files/words.ts"
import { countsIn, findTerm, type QueryTerm, type Scope, scopeOf } from "./lexical-scope.ts"
import { type Part, postingsOf, type Segment } from "./word-shelf.ts"

/** BM25 (Robertson and Zaragoza, 2009), with the constants measured by `npm run bench:rag`. */
const k1 = 1.2
const b = 0.6
/** A term that more passages than this share have, says nothing. */
const tooFrequent = 0.5
/** In fewer passages every term is frequent by chance. */
const fewPassages = 50
/** How much a word of the file's name counts beside one of the text. */
const nameWeight = 1

export interface LexicalHit {
  file: number
  passage: number
  score: number
  /** Which share of what was asked for occurs, from 0 to 1. */
  coverage: number
}

const queryTerms = (query: string): QueryTerm[] => {
  const { counts, kinds } = termsOf(query)
  return [...counts].map(([term, count]) => ({
    term,
    hash: hashOf(term),
    kind: kinds.get(term) ?? "word",
    times: Math.min(count, 2),
  }))
}

/** A word that has parts is half found by them, as inflected forms are. */
const shareOf = ({ kind, term }: QueryTerm): number => {
  if (kind === "word") return term.length > 4 || (term.length > 1 && ideograph.test(term)) ? 0.6 : 1
  return kind === "trigram" ? 0 : 0.4
}
const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

interface Weighed extends QueryTerm {
  weight: number
  /** What it adds to the coverage. */
  share: number
}

const tellsNothing = (frequency: number, total: number): boolean =>
  frequency === 0 || (total >= fewPassages && frequency > total * tooFrequent)

/** What a term adds to passages that have it `count` times. */
const scoreOf = (weight: number, count: number, norm: number): number =>
  (weight * count * (k1 + 1)) / (count + norm)

const addSpans = (
  { segment }: Scope,
  spans: readonly number[],
  { kind, weight, share }: Weighed,
): void => {
  const { scores, shares, norms } = segment
  const { passages } = postingsOf(segment.words, kind)
  const { frequencies } = segment.words
  const counted = kind !== "trigram"
  for (let span = 0; span < spans.length; span += 2) {
    const to = spans[span + 1] ?? 0
    for (let at = spans[span] ?? 0; at < to; at++) {
      const passage = passages[at] as number
      const count = counted ? (frequencies[at] as number) : 1
      const gain = scoreOf(weight, count, norms[passage] as number)
      scores[passage] = (scores[passage] as number) + gain
      if (counted) shares[passage] = (shares[passage] as number) + share
    }
  }
}

/** A file's name stands over each of its passages, as if each had the word once more. */
const addNamed = (scope: Scope, file: number, term: Weighed): void => {
  const { starts, scores, shares, norms } = scope.segment
  const first = starts[file] ?? 0
  for (const [at, count] of countsIn(scope.segment, term, file).entries()) {
    const passage = first + at
    const norm = norms[passage] ?? 0
    const more = term.kind === "trigram" && count > 0 ? 0 : nameWeight
    const gain = scoreOf(term.weight, count + more, norm) - scoreOf(term.weight, count, norm)
    scores[passage] = (scores[passage] ?? 0) + gain
    if (count === 0) shares[passage] = (shares[passage] ?? 0) + term.share
  }
}

/** Clears what the last search left, and says for each passage what its length takes away. */
const prepare = ({ runs, segment }: Scope, average: number): void => {
  const { scores, shares, norms } = segment
  const { lengths } = segment.words
  const [least, perWord] = [k1 * (1 - b), (k1 * b) / average]
  for (let run = 0; run < runs.length; run += 2) {
    const from = runs[run] ?? 0
    const to = runs[run + 1] ?? from
    scores.fill(0, from, to)
    shares.fill(0, from, to)
    for (let at = from; at < to; at++) norms[at] = least + perWord * (lengths[at] as number)
  }
}

interface Question {
  terms: QueryTerm[]
  /** Passages that are asked about. */
  total: number
}

/** Scores all scopes by one term. @returns what it would add to the coverage as a whole word */
const scoreTerm = (scopes: readonly Scope[], term: QueryTerm, total: number): number => {
  const found = scopes.map((scope) => ({ scope, ...findTerm(scope, term) }))
  const frequency = found.reduce((sum, one) => sum + one.frequency, 0)
  const idf = Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
  const worth = total < fewPassages ? 1 : idf
  const whole = term.kind === "word" ? worth : 0
  if (tellsNothing(frequency, total)) return whole
  const weight = weights[term.kind] * idf * term.times
  const weighed = { ...term, weight, share: shareOf(term) * worth }
  for (const { scope, spans, named } of found) {
    addSpans(scope, spans, weighed)
    for (const file of named) addNamed(scope, file, weighed)
  }
  return whole
}

/** @returns what all whole words of the question make up together */
const score = (scopes: readonly Scope[], { terms, total }: Question): number => {
  let whole = 0
  for (const term of terms) whole += scoreTerm(scopes, term, total)
  return whole
}

/** Collects the best `limit`; of equal ones those of the first files. */
const createBest = (limit: number) => {
  const hits: LexicalHit[] = []
  let bar = Number.MIN_VALUE
  const trim = (): void => {
    hits.sort((a, z) => z.score - a.score || a.file - z.file || a.passage - z.passage)
    if (hits.length < limit) return
    hits.length = limit
    bar = hits.at(-1)?.score ?? bar
  }
  return {
    offer: (hit: LexicalHit): void => {
      hits.push(hit)
      if (hits.length > limit * 4) trim()
    },
    reaches: (score: number): boolean => score >= bar,
    hits: (): LexicalHit[] => {
      trim()
      return hits
    },
  }
}

/** Offers the passages of one file. */
const offerFile = (
  best: ReturnType<typeof createBest>,
  { starts, scores, shares }: Segment,
  { index, file, whole }: { index: number; file: number; whole: number },
): void => {
  const first = starts[index] as number
  const end = starts[index + 1] as number
  for (let at = first; at < end; at++) {
    const found = scores[at] as number
    if (!best.reaches(found)) continue
    const coverage = whole > 0 ? Math.min(1, (shares[at] as number) / whole) : 0
    best.offer({ file, passage: at - first, score: found, coverage })
  }
}

/** The best passages of some files by BM25; equal ones in the files' order. */
export const searchWords = (parts: readonly Part[], query: string, limit: number): LexicalHit[] => {
  const scopes = parts.map(scopeOf)
  const total = scopes.reduce((sum, scope) => sum + scope.total, 0)
  const length = scopes.reduce((sum, scope) => sum + scope.length, 0)
  for (const scope of scopes) prepare(scope, Math.max(1, length / Math.max(1, total)))
  const whole = score(scopes, { terms: queryTerms(query), total })
  const best = createBest(limit)
  for (const { segment, order } of scopes) {
    for (const [index, file] of order.entries()) {
      if (file >= 0) offerFile(best, segment, { index, file, whole })
    }
  }
  return best.hits()
}

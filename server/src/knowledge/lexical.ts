import { placeOf, type WordIndex } from "../files/word-index.ts"
import { hashOf, type TermKind, termsOf, weights } from "../files/words.ts"

/** BM25 (Robertson and Zaragoza, 2009), with the constants measured by `npm run bench:rag`. */
const k1 = 1.2
const b = 0.6
/** A term that more passages than this share have, says nothing. */
const tooFrequent = 0.5
/** In fewer passages every term is frequent by chance. */
const fewPassages = 50
/** How much a word of the file's name counts beside one of the text. */
const nameWeight = 1

export interface SearchedFile {
  id: string
  words: WordIndex
  /** Terms of its name. */
  name: ReadonlySet<string>
}

export interface LexicalHit {
  file: number
  passage: number
  score: number
  /** Which share of what was asked for occurs, from 0 to 1. */
  coverage: number
}

interface QueryTerm {
  term: string
  hash: number
  kind: TermKind
  /** How often it was asked for, two at the most. */
  times: number
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

const postingsOf = ({ words }: SearchedFile, { kind }: QueryTerm) =>
  kind === "trigram" ? words.trigrams : words.counted

/** How many passages have a term, those included whose file has it in its name. */
const frequencyIn = (file: SearchedFile, term: QueryTerm): number => {
  if (file.name.has(term.term)) return file.words.passages
  const { hashes, starts } = postingsOf(file, term)
  const place = placeOf(hashes, term.hash)
  return place < 0 ? 0 : (starts[place + 1] ?? 0) - (starts[place] ?? 0)
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

const weigh = (files: readonly SearchedFile[], terms: readonly QueryTerm[], total: number) => {
  const weighed: Weighed[] = []
  let whole = 0
  for (const term of terms) {
    let frequency = 0
    for (const file of files) frequency += frequencyIn(file, term)
    const idf = Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
    const share = shareOf(term) * (total < fewPassages ? 1 : idf)
    if (term.kind === "word") whole += share / shareOf(term)
    if (tellsNothing(frequency, total)) continue
    weighed.push({ ...term, weight: weights[term.kind] * idf * term.times, share })
  }
  return { weighed, whole }
}

interface Sums {
  scores: Float32Array
  shares: Float32Array
}

/** Calls back for each passage of a file that has a term, with how often. */
const eachPassage = (
  file: SearchedFile,
  term: QueryTerm,
  tell: (passage: number, count: number) => void,
): void => {
  const { hashes, starts, passages } = postingsOf(file, term)
  const place = placeOf(hashes, term.hash)
  const from = place < 0 ? 0 : (starts[place] ?? 0)
  const to = place < 0 ? 0 : (starts[place + 1] ?? 0)
  const { frequencies } = file.words
  const counted = term.kind !== "trigram"
  for (let at = from; at < to; at++) tell(passages[at] ?? 0, counted ? (frequencies[at] ?? 1) : 1)
}

/** How often each passage of a file has a term that the file's name has too. */
const namedCounts = (file: SearchedFile, term: QueryTerm): Float32Array => {
  const counts = new Float32Array(file.words.passages).fill(nameWeight)
  if (term.kind === "trigram") return counts
  eachPassage(file, term, (passage, count) => {
    counts[passage] = nameWeight + count
  })
  return counts
}

const addTerm = (file: SearchedFile, term: Weighed, average: number, sums: Sums): void => {
  const { lengths } = file.words
  const add = (passage: number, count: number): void => {
    const length = 1 - b + b * ((lengths[passage] ?? 0) / average)
    const score = (term.weight * count * (k1 + 1)) / (count + k1 * length)
    sums.scores[passage] = (sums.scores[passage] ?? 0) + score
    sums.shares[passage] = (sums.shares[passage] ?? 0) + term.share
  }
  if (!file.name.has(term.term)) {
    eachPassage(file, term, add)
    return
  }
  for (const [passage, count] of namedCounts(file, term).entries()) add(passage, count)
}

const scoreFile = (file: SearchedFile, terms: readonly Weighed[], average: number): Sums => {
  const { passages } = file.words
  const sums = { scores: new Float32Array(passages), shares: new Float32Array(passages) }
  for (const term of terms) addTerm(file, term, average, sums)
  return sums
}

const sizeOf = (files: readonly SearchedFile[]): { total: number; average: number } => {
  let total = 0
  let length = 0
  for (const { words } of files) {
    total += words.passages
    for (const own of words.lengths) length += own
  }
  return { total, average: Math.max(1, length / Math.max(1, total)) }
}

/** The best passages of some files by BM25; equal ones in the files' order. */
export const searchWords = (
  files: readonly SearchedFile[],
  query: string,
  limit: number,
): LexicalHit[] => {
  const { total, average } = sizeOf(files)
  const { weighed, whole } = weigh(files, queryTerms(query), total)
  if (weighed.length === 0) return []
  const hits: LexicalHit[] = []
  const covered = (share = 0): number => (whole > 0 ? Math.min(1, share / whole) : 0)
  let bar = 0
  for (const [index, file] of files.entries()) {
    const { scores, shares } = scoreFile(file, weighed, average)
    for (const [passage, score] of scores.entries()) {
      if (score <= bar) continue
      hits.push({ file: index, passage, score, coverage: covered(shares[passage]) })
    }
    if (hits.length > limit * 4) bar = trim(hits, limit)
  }
  trim(hits, limit)
  return hits
}

/** Keeps the best `limit`. @returns the score that a further one must exceed */
const trim = (hits: LexicalHit[], limit: number): number => {
  hits.sort((a, z) => z.score - a.score || a.file - z.file || a.passage - z.passage)
  if (hits.length < limit) return 0
  hits.length = limit
  return hits.at(-1)?.score ?? 0
}

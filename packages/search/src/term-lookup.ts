import { findHash, type Postings } from "./index-segment.ts"
import type { QueryTerm } from "./query-terms.ts"
import { postingsOf, type Segment, type SegmentScope } from "./segment-cache.ts"

/** The part of a segment that is searched. */
export interface SearchScope extends SegmentScope {
  /** Pairs of first passage and end (exclusive), in order. */
  runs: number[]
  /** Number of passages. */
  total: number
  /** Number of words in all passages. */
  length: number
}

export const createSearchScope = ({ segment, order }: SegmentScope): SearchScope => {
  const { starts, lengths } = segment
  const runs: number[] = []
  let total = 0
  let length = 0
  for (const [file, index] of order.entries()) {
    const from = starts[file] ?? 0
    const to = starts[file + 1] ?? from
    if (index < 0 || from === to) continue
    total += to - from
    length += lengths[file] ?? 0
    if (runs.at(-1) === from) runs[runs.length - 1] = to
    else runs.push(from, to)
  }
  return { segment, order, runs, total, length }
}

/** The first index in [low, high) at which `passages` is not below `passage`. */
const lowerBound = (passages: Uint16Array, passage: number, low: number, high: number): number => {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((passages[middle] ?? 0) < passage) from = middle + 1
    else to = middle
  }
  return from
}

const postingsRange = ({ hashes, starts }: Postings, hash: number): [from: number, to: number] => {
  const index = findHash(hashes, hash)
  return index < 0 ? [0, 0] : [starts[index] ?? 0, starts[index + 1] ?? 0]
}

/** The occurrences of a term in one scope. */
export interface Occurrences {
  /** Pairs of start and end (exclusive) among the segment's postings. */
  spans: number[]
  /** Number of passages in the scope with the term. */
  frequency: number
  /** Files of the scope with the term in their name; it counts for all their passages. */
  filesByName: number[]
}

/**
 * The spans of a term's postings within the scope. If searching for each run costs more than
 * walking through all postings, all are returned; hits outside the scope are dropped later.
 */
const findSpans = (
  scope: SearchScope,
  { hash, kind }: QueryTerm,
): Omit<Occurrences, "filesByName"> => {
  const { segment, runs } = scope
  const postings = postingsOf(segment.words, kind)
  const [from, to] = postingsRange(postings, hash)
  if (from === to) return { spans: [], frequency: 0 }
  if (scope.total === segment.words.passages) return { spans: [from, to], frequency: to - from }
  const { passages } = postings
  if ((runs.length / 2) * Math.log2(to - from + 2) > to - from) {
    return { spans: [from, to], frequency: countWithin(scope, passages.subarray(from, to)) }
  }
  const spans: number[] = []
  let frequency = 0
  let at = from
  for (let run = 0; run < runs.length && at < to; run += 2) {
    const first = lowerBound(passages, runs[run] ?? 0, at, to)
    at = lowerBound(passages, runs[run + 1] ?? 0, first, to)
    if (at > first) spans.push(first, at)
    frequency += at - first
  }
  return { spans, frequency }
}

const countWithin = ({ runs }: SearchScope, passages: Uint16Array): number => {
  let count = 0
  let run = 0
  for (const passage of passages) {
    while (run < runs.length && passage >= (runs[run + 1] ?? 0)) run += 2
    if (run >= runs.length) break
    if (passage >= (runs[run] ?? 0)) count++
  }
  return count
}

/** Number of occurrences of a term in the text of each passage of a file. */
export const countOccurrences = (
  { words, starts }: Segment,
  { hash, kind }: QueryTerm,
  file: number,
): Uint8Array => {
  const postings = postingsOf(words, kind)
  const [from, to] = postingsRange(postings, hash)
  const first = starts[file] ?? 0
  const end = starts[file + 1] ?? first
  const counts = new Uint8Array(end - first)
  for (let at = lowerBound(postings.passages, first, from, to); at < to; at++) {
    const passage = postings.passages[at] ?? 0
    if (passage >= end) break
    counts[passage - first] = postings.frequencies?.[at] ?? 1
  }
  return counts
}

/** Number of passages of a file whose text does not contain a term. */
const countPassagesWithout = (
  { words, starts }: Segment,
  { hash, kind }: QueryTerm,
  file: number,
): number => {
  const postings = postingsOf(words, kind)
  const [from, to] = postingsRange(postings, hash)
  const first = starts[file] ?? 0
  const end = starts[file + 1] ?? first
  const start = lowerBound(postings.passages, first, from, to)
  return end - first - (lowerBound(postings.passages, end, start, to) - start)
}

/** Finds a term in texts and file names. */
export const findTerm = (scope: SearchScope, term: QueryTerm): Occurrences => {
  const { segment, order } = scope
  const { spans, frequency } = findSpans(scope, term)
  const postings = postingsOf(segment.names, term.kind)
  const [from, to] = postingsRange(postings, term.hash)
  const filesByName = [...postings.passages.subarray(from, to)].filter(
    (file) => (order[file] ?? -1) >= 0,
  )
  let nameOnly = 0
  for (const file of filesByName) nameOnly += countPassagesWithout(segment, term, file)
  return { spans, frequency: frequency + nameOnly, filesByName }
}

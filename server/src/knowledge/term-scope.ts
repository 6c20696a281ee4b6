import { type Postings, placeOf } from "../files/index-segment.ts"
import type { TermKind } from "../files/tokenizer.ts"
import { type Part, postingsOf, type Segment } from "./segment-cache.ts"

export interface QueryTerm {
  term: string
  hash: number
  kind: TermKind
  /** How often it was asked for, two at the most. */
  times: number
}

/** What of a segment is asked about. */
export interface Scope extends Part {
  /** Pairs of first passage and the one after the last, in order. */
  runs: number[]
  /** Passages. */
  total: number
  /** Words of all of them. */
  length: number
}

export const scopeOf = ({ segment, order }: Part): Scope => {
  const { starts, lengths } = segment
  const runs: number[] = []
  let total = 0
  let length = 0
  for (const [file, place] of order.entries()) {
    const from = starts[file] ?? 0
    const to = starts[file + 1] ?? from
    if (place < 0 || from === to) continue
    total += to - from
    length += lengths[file] ?? 0
    if (runs.at(-1) === from) runs[runs.length - 1] = to
    else runs.push(from, to)
  }
  return { segment, order, runs, total, length }
}

/** The first place from `low` on, before `high`, where passages are no longer below `passage`. */
const lowerBound = (passages: Uint16Array, passage: number, low: number, high: number): number => {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((passages[middle] ?? 0) < passage) from = middle + 1
    else to = middle
  }
  return from
}

const rangeOf = ({ hashes, starts }: Postings, hash: number): [from: number, to: number] => {
  const place = placeOf(hashes, hash)
  return place < 0 ? [0, 0] : [starts[place] ?? 0, starts[place + 1] ?? 0]
}

/** A term in one scope. */
export interface Occurrences {
  /** Pairs of places among the segment's postings. */
  spans: number[]
  /** How many passages of the scope have it. */
  frequency: number
  /** Files of the scope whose name has it, and with it all their passages. */
  named: number[]
}

/**
 * Where a term's postings lie in the scope. Where looking up each run would cost more than
 * walking through all postings, all are given, and those beside the scope are left out at the end.
 */
const spansOf = (scope: Scope, { hash, kind }: QueryTerm): Omit<Occurrences, "named"> => {
  const { segment, runs } = scope
  const postings = postingsOf(segment.words, kind)
  const [from, to] = rangeOf(postings, hash)
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

const countWithin = ({ runs }: Scope, passages: Uint16Array): number => {
  let count = 0
  let run = 0
  for (const passage of passages) {
    while (run < runs.length && passage >= (runs[run + 1] ?? 0)) run += 2
    if (run >= runs.length) break
    if (passage >= (runs[run] ?? 0)) count++
  }
  return count
}

/** How often each passage of a file has a term, by the text alone. */
export const countsIn = (
  { words, starts }: Segment,
  { hash, kind }: QueryTerm,
  file: number,
): Uint8Array => {
  const postings = postingsOf(words, kind)
  const [from, to] = rangeOf(postings, hash)
  const first = starts[file] ?? 0
  const end = starts[file + 1] ?? first
  const counts = new Uint8Array(end - first)
  for (let at = lowerBound(postings.passages, first, from, to); at < to; at++) {
    const passage = postings.passages[at] ?? 0
    if (passage >= end) break
    counts[passage - first] = kind === "trigram" ? 1 : (words.frequencies[at] ?? 1)
  }
  return counts
}

/** Where a term occurs, in the text and in the names of files. */
export const findTerm = (scope: Scope, term: QueryTerm): Occurrences => {
  const { segment, order } = scope
  const { spans, frequency } = spansOf(scope, term)
  const postings = postingsOf(segment.names, term.kind)
  const [from, to] = rangeOf(postings, term.hash)
  const named = [...postings.passages.subarray(from, to)].filter((file) => (order[file] ?? -1) >= 0)
  let without = 0
  for (const file of named) {
    for (const count of countsIn(segment, term, file)) if (count === 0) without++
  }
  return { spans, frequency: frequency + without, named }
}

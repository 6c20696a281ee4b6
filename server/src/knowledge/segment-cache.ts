import {
  type IndexSegment,
  maxPassages,
  openIndexSegment,
  type Postings,
  packIndexSegment,
} from "../files/index-segment.ts"
import { mergeIndexSegments } from "../files/segment-merge.ts"
import type { TermKind } from "../files/tokenizer.ts"

/** Segments with fewer passages are merged once there are too many of them. */
const smallPassages = 8192
const maxSmallSegments = 8

/** The terms of several files as one index, so that a term is looked up once and not per file. */
export interface Segment {
  words: IndexSegment
  /** Terms of the file names; indexed by file instead of by passage. */
  names: IndexSegment
  /** First passage of each file, and the total as the last entry. */
  starts: Uint32Array
  /** Number of words in all passages of each file. */
  lengths: Float64Array
  /** Scratch space for a search, one number per passage. */
  scores: Float32Array
  norms: Float32Array
}

export const postingsOf = ({ trigrams, counted }: IndexSegment, kind: TermKind): Postings =>
  kind === "trigram" ? trigrams : counted

/** The files of a segment that are searched. */
export interface Part {
  segment: Segment
  /** For each file of the segment its index in the search scope, or -1. */
  order: Int32Array
}

interface Held extends Segment {
  /** File ids; empty if the file was dropped. */
  files: string[]
  living: number
}

export interface NamedWords {
  id: string
  filename: string
  /** As packed by `packWords`. */
  data: Uint8Array
}

const nameOf = (filename: string): string =>
  filename.replace(/\.[^.]*$/, "").replace(/[_.-]+/g, " ")

const sum = (numbers: Uint16Array): number => {
  let all = 0
  for (const number of numbers) all += number
  return all
}

const bytesOf = ({ words, names }: Segment): number => words.bytes + names.bytes

/** Scratch space, allocated per segment and not per file. */
const counters = ({ passages }: IndexSegment) => ({
  scores: new Float32Array(passages),
  norms: new Float32Array(passages),
})

const one = ({ id, filename, data }: NamedWords): Held => {
  const words = openIndexSegment(data)
  return {
    words,
    ...counters(words),
    names: openIndexSegment(packIndexSegment([nameOf(filename)])),
    starts: Uint32Array.of(0, words.passages),
    lengths: Float64Array.of(sum(words.lengths)),
    files: [id],
    living: 1,
  }
}

const merge = (segments: readonly Held[]): Held => {
  const [only] = segments
  if (only && segments.length === 1) return only
  const starts = [0]
  for (const segment of segments) {
    const base = starts.at(-1) ?? 0
    for (const start of segment.starts.subarray(1)) starts.push(base + start)
  }
  const words = mergeIndexSegments(segments.map((segment) => segment.words))
  return {
    words,
    ...counters(words),
    names: mergeIndexSegments(segments.map(({ names }) => names)),
    starts: Uint32Array.from(starts),
    lengths: Float64Array.from(segments.flatMap(({ lengths }) => [...lengths])),
    files: segments.flatMap(({ files }) => files),
    living: segments.reduce((all, { living }) => all + living, 0),
  }
}

/** Groups segments so that each group fits into one. */
const fitting = (segments: readonly Held[]): Held[][] => {
  const runs: Held[][] = []
  let passages = maxPassages
  for (const segment of segments) {
    passages += segment.words.passages
    if (passages > maxPassages) {
      runs.push([])
      passages = segment.words.passages
    }
    runs.at(-1)?.push(segment)
  }
  return runs
}

/** An LRU cache of files' terms in searchable segments. */
export const createWordShelf = (room: number) => {
  const places = new Map<string, { segment: Held; file: number }>()
  /** Least recently used first. */
  const segments = new Set<Held>()
  let bytes = 0

  const add = (segment: Held): void => {
    segments.add(segment)
    bytes += bytesOf(segment)
  }
  const remove = (segment: Held): void => {
    segments.delete(segment)
    bytes -= bytesOf(segment)
  }
  const place = (segment: Held): void => {
    for (const [file, id] of segment.files.entries())
      if (id !== "") places.set(id, { segment, file })
  }
  const forget = (segment: Held): void => {
    remove(segment)
    for (const id of segment.files) if (places.get(id)?.segment === segment) places.delete(id)
  }

  const drop = (id: string): void => {
    const found = places.get(id)
    if (!found) return
    places.delete(id)
    found.segment.files[found.file] = ""
    found.segment.living--
  }

  const join = (some: readonly Held[]): void => {
    const merged = merge(some)
    for (const segment of some) remove(segment)
    add(merged)
    place(merged)
  }

  const tidy = (): void => {
    for (const segment of [...segments]) {
      if (segment.living * 2 < segment.files.length) forget(segment)
    }
    const small = [...segments].filter(({ words }) => words.passages < smallPassages)
    if (small.length > maxSmallSegments) for (const some of fitting(small)) join(some)
  }

  return {
    has: (id: string): boolean => places.has(id),
    bytes: (): number => bytes,
    drop,

    put: (files: readonly NamedWords[]): void => {
      for (const { id } of files) drop(id)
      for (const some of fitting(files.map(one))) {
        const segment = merge(some)
        add(segment)
        place(segment)
      }
    },

    /** Locations of the given files; files that are not cached are omitted. */
    parts: (ids: readonly string[]): Part[] => {
      const parts = new Map<Held, Part>()
      for (const [index, id] of ids.entries()) {
        const found = places.get(id)
        if (!found) continue
        const { segment, file } = found
        const part = parts.get(segment) ?? {
          segment,
          order: new Int32Array(segment.files.length).fill(-1),
        }
        part.order[file] = index
        parts.set(segment, part)
      }
      for (const segment of parts.keys()) {
        segments.delete(segment)
        segments.add(segment)
      }
      return [...parts.values()]
    },

    /** Merges small segments and evicts the least recently used ones until the rest fit. */
    shrink: (): void => {
      tidy()
      for (const segment of segments) {
        if (bytes <= room) return
        forget(segment)
      }
    },
  }
}

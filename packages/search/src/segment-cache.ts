import {
  type IndexSegment,
  maxPassages,
  openIndexSegment,
  type Postings,
  packIndexSegment,
} from "./index-segment.ts"
import { mergeIndexSegments } from "./merge-index-segments.ts"
import type { TermKind } from "./tokenizer.ts"

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
export interface SegmentScope {
  segment: Segment
  /** For each file of the segment its index in the search scope, or -1. */
  order: Int32Array
}

interface CachedSegment extends Segment {
  /** File ids; empty if the file was dropped. */
  files: string[]
  liveFiles: number
}

export interface FileTerms {
  id: string
  filename: string
  /** As packed by `packIndexSegment`. */
  data: Uint8Array
}

const nameOf = (filename: string): string =>
  filename.replace(/\.[^.]*$/, "").replace(/[_.-]+/g, " ")

const bytesOf = ({ words, names }: Segment): number => words.bytes + names.bytes

/** Scratch space, allocated per segment and not per file. */
const createScratch = ({ passages }: IndexSegment) => ({
  scores: new Float32Array(passages),
  norms: new Float32Array(passages),
})

const toSegment = ({ id, filename, data }: FileTerms): CachedSegment => {
  const words = openIndexSegment(data)
  return {
    words,
    ...createScratch(words),
    names: openIndexSegment(packIndexSegment([nameOf(filename)])),
    starts: Uint32Array.of(0, words.passages),
    lengths: Float64Array.of(words.lengths.reduce((sum, length) => sum + length, 0)),
    files: [id],
    liveFiles: 1,
  }
}

const merge = (segments: readonly CachedSegment[]): CachedSegment => {
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
    ...createScratch(words),
    names: mergeIndexSegments(segments.map(({ names }) => names)),
    starts: Uint32Array.from(starts),
    lengths: Float64Array.from(segments.flatMap(({ lengths }) => [...lengths])),
    files: segments.flatMap(({ files }) => files),
    liveFiles: segments.reduce((all, { liveFiles }) => all + liveFiles, 0),
  }
}

/** Groups segments so that each group fits into one. */
const groupForMerging = (segments: readonly CachedSegment[]): CachedSegment[][] => {
  const runs: CachedSegment[][] = []
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
export const createSegmentCache = (maxBytes: number) => {
  const locations = new Map<string, { segment: CachedSegment; file: number }>()
  /** Least recently used first. */
  const segments = new Set<CachedSegment>()
  let bytes = 0

  const add = (segment: CachedSegment): void => {
    segments.add(segment)
    bytes += bytesOf(segment)
  }
  const remove = (segment: CachedSegment): void => {
    segments.delete(segment)
    bytes -= bytesOf(segment)
  }
  const indexFiles = (segment: CachedSegment): void => {
    for (const [file, id] of segment.files.entries())
      if (id !== "") locations.set(id, { segment, file })
  }
  const evict = (segment: CachedSegment): void => {
    remove(segment)
    for (const id of segment.files) if (locations.get(id)?.segment === segment) locations.delete(id)
  }

  const drop = (id: string): void => {
    const found = locations.get(id)
    if (!found) return
    locations.delete(id)
    found.segment.files[found.file] = ""
    found.segment.liveFiles--
  }

  const mergeSegments = (group: readonly CachedSegment[]): void => {
    const merged = merge(group)
    for (const segment of group) remove(segment)
    add(merged)
    indexFiles(merged)
  }

  const compact = (): void => {
    for (const segment of [...segments]) {
      if (segment.liveFiles * 2 < segment.files.length) evict(segment)
    }
    const small = [...segments].filter(({ words }) => words.passages < smallPassages)
    if (small.length > maxSmallSegments)
      for (const group of groupForMerging(small)) mergeSegments(group)
  }

  return {
    has: (id: string): boolean => locations.has(id),
    bytes: (): number => bytes,
    drop,

    put: (files: readonly FileTerms[]): void => {
      for (const { id } of files) drop(id)
      for (const group of groupForMerging(files.map(toSegment))) {
        const segment = merge(group)
        add(segment)
        indexFiles(segment)
      }
    },

    /** Locations of the given files; files that are not cached are omitted. */
    scopesOf: (ids: readonly string[]): SegmentScope[] => {
      const parts = new Map<CachedSegment, SegmentScope>()
      for (const [index, id] of ids.entries()) {
        const found = locations.get(id)
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
      compact()
      for (const segment of segments) {
        if (bytes <= maxBytes) return
        evict(segment)
      }
    },
  }
}

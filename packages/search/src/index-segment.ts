import { extractTerms, hashTerm } from "./tokenizer.ts"

const version = 1
const headerLength = 6
/** Maximum number of passages per file; passage numbers are stored in 16 bits. */
export const maxPassages = 65_535

/** Inverted index of one file's passages. */
export interface IndexSegment {
  passages: number
  /** Number of words in each passage. */
  lengths: Uint16Array
  /** Of all terms but trigrams. */
  counted: Postings
  trigrams: Postings
  bytes: number
}

/** Sorted term hashes, each with the passages that contain the term. */
export interface Postings {
  hashes: Uint32Array
  /** Start of each hash's postings; one more element than `hashes`. */
  starts: Uint32Array
  passages: Uint16Array
  /** Term frequencies, parallel to `passages`; null for trigrams. */
  frequencies: Uint8Array | null
}

interface TermPostings {
  passages: number[]
  frequencies: number[]
}

const addOccurrence = (
  entries: Map<number, TermPostings>,
  hash: number,
  passage: number,
  count: number,
): void => {
  const entry = entries.get(hash) ?? { passages: [], frequencies: [] }
  if (entry.passages.at(-1) === passage) return
  if (entry.passages.length === 0) entries.set(hash, entry)
  entry.passages.push(passage)
  entry.frequencies.push(Math.min(count, 255))
}

const flattenPostings = (entries: Map<number, TermPostings>) => {
  const hashes = Uint32Array.from(entries.keys()).sort()
  const starts = new Uint32Array(hashes.length + 1)
  const passages: number[] = []
  const frequencies: number[] = []
  for (const [index, hash] of hashes.entries()) {
    const entry = entries.get(hash)
    if (entry) {
      for (const passage of entry.passages) passages.push(passage)
      for (const frequency of entry.frequencies) frequencies.push(frequency)
    }
    starts[index + 1] = passages.length
  }
  return { hashes, starts, passages, frequencies }
}

const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** Serializes the index of passages; `openIndexSegment` reads it. */
export const packIndexSegment = (passages: readonly string[]): Uint8Array => {
  const counted = new Map<number, TermPostings>()
  const trigrams = new Map<number, TermPostings>()
  const lengths = new Uint16Array(passages.length)
  for (const [index, text] of passages.entries()) {
    const { counts, kinds, length } = extractTerms(text)
    lengths[index] = Math.min(length, 65_535)
    for (const [term, count] of counts) {
      const entries = kinds.get(term) === "trigram" ? trigrams : counted
      addOccurrence(entries, hashTerm(term), index, count)
    }
  }
  const words = flattenPostings(counted)
  const parts = flattenPostings(trigrams)
  const header = Uint32Array.of(
    version,
    passages.length,
    words.hashes.length,
    words.passages.length,
    parts.hashes.length,
    parts.passages.length,
  )
  return Buffer.concat(
    [
      header,
      words.hashes,
      words.starts,
      parts.hashes,
      parts.starts,
      Uint16Array.from(words.passages),
      Uint16Array.from(parts.passages),
      lengths,
      Uint8Array.from(words.frequencies),
    ].map(bytesOf),
  )
}

/** Reads what `packIndexSegment` packed, without copying. @throws if it cannot */
export const openIndexSegment = (packed: Uint8Array): IndexSegment => {
  const aligned = packed.byteOffset % 4 === 0 ? packed : new Uint8Array(packed)
  const { buffer, byteOffset } = aligned
  const header = new Uint32Array(buffer, byteOffset, headerLength)
  const [found, passages = 0, words = 0, wordPostings = 0, parts = 0, partPostings = 0] = header
  if (found !== version) throw new Error("Unsupported index segment version")
  let at = byteOffset + headerLength * 4
  const u32 = (length: number): Uint32Array => {
    const array = new Uint32Array(buffer, at, length)
    at += length * 4
    return array
  }
  const u16 = (length: number): Uint16Array => {
    const array = new Uint16Array(buffer, at, length)
    at += length * 2
    return array
  }
  const [wordHashes, wordStarts] = [u32(words), u32(words + 1)]
  const [partHashes, partStarts] = [u32(parts), u32(parts + 1)]
  const [wordPassages, partPassages] = [u16(wordPostings), u16(partPostings)]
  const lengths = u16(passages)
  const frequencies = new Uint8Array(buffer, at, wordPostings)
  return {
    passages,
    lengths,
    counted: { hashes: wordHashes, starts: wordStarts, passages: wordPassages, frequencies },
    trigrams: { hashes: partHashes, starts: partStarts, passages: partPassages, frequencies: null },
    bytes: packed.byteLength,
  }
}

/** Index of `hash` in sorted `hashes`, or -1. */
export const findHash = (hashes: Uint32Array, hash: number): number => {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = hashes[middle] ?? 0
    if (found === hash) return middle
    if (found < hash) low = middle + 1
    else high = middle - 1
  }
  return -1
}

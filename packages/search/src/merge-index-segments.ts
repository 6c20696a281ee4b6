import type { IndexSegment, Postings } from "./index-segment.ts"

/**
 * Assigns consecutive numbers to hashes in order of first occurrence. Open-addressing hash table
 * with a load factor of at most 0.5.
 */
const createTermNumbering = (expected: number) => {
  const sizeFor = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, count * 2)))
  let mask = sizeFor(expected) - 1
  let keys = new Uint32Array(mask + 1)
  /** Number + 1; 0 marks an empty slot. */
  let numbers = new Uint32Array(mask + 1)
  let count = 0

  const slotOf = (hash: number): number => {
    let slot = Math.imul(hash, 0x9e3779b1) & mask
    while (numbers[slot] !== 0 && keys[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }
  const grow = (): void => {
    const [oldKeys, oldNumbers] = [keys, numbers]
    mask = mask * 2 + 1
    keys = new Uint32Array(mask + 1)
    numbers = new Uint32Array(mask + 1)
    for (const [at, number] of oldNumbers.entries()) {
      if (number === 0) continue
      const slot = slotOf(oldKeys[at] ?? 0)
      keys[slot] = oldKeys[at] ?? 0
      numbers[slot] = number
    }
  }
  return {
    numberOf: (hash: number): number => {
      const slot = slotOf(hash)
      const known = numbers[slot] ?? 0
      if (known > 0) return known - 1
      keys[slot] = hash
      numbers[slot] = ++count
      if (count * 2 > mask) grow()
      return count - 1
    },
    /** All hashes, indexed by their number. */
    hashes: (): Uint32Array => {
      const hashes = new Uint32Array(count)
      for (const [slot, number] of numbers.entries()) {
        if (number > 0) hashes[number - 1] = keys[slot] ?? 0
      }
      return hashes
    },
  }
}

interface SegmentPart {
  postings: Postings
  /** Parallel to the postings' passages; null for trigrams. */
  frequencies: Uint8Array | null
  /** Offset added to its passage numbers. */
  base: number
}

/** Start of each term's postings when terms are sorted by hash. */
const layOutTerms = (
  hashes: Uint32Array,
  counts: Uint32Array,
  numberOf: (hash: number) => number,
) => {
  const sorted = hashes.toSorted()
  const starts = new Uint32Array(hashes.length + 1)
  const next = new Uint32Array(hashes.length)
  for (const [place, hash] of sorted.entries()) {
    const number = numberOf(hash)
    next[number] = starts[place] ?? 0
    starts[place + 1] = (starts[place] ?? 0) + (counts[number] ?? 0)
  }
  return { sorted, starts, next }
}

/** The merged terms. `numbersOf[part][index]` is the number of each part's term. */
const mergeTerms = (parts: readonly SegmentPart[]) => {
  const max = parts.reduce((sum, { postings }) => Math.max(sum, postings.hashes.length), 0)
  const numbers = createTermNumbering(max * 2)
  const numbersOf = parts.map(({ postings }) => postings.hashes.map(numbers.numberOf))
  const hashes = numbers.hashes()
  const counts = new Uint32Array(hashes.length)
  for (const [index, { postings }] of parts.entries()) {
    const own = numbersOf[index] ?? new Uint32Array()
    for (let at = 0; at < own.length; at++) {
      const number = own[at] ?? 0
      counts[number] =
        (counts[number] ?? 0) + (postings.starts[at + 1] ?? 0) - (postings.starts[at] ?? 0)
    }
  }
  return { numbersOf, ...layOutTerms(hashes, counts, numbers.numberOf) }
}

/** Output arrays of merged postings. */
interface MergeTarget {
  passages: Uint16Array
  frequencies: Uint8Array
  next: Uint32Array
}

/** Appends a part's postings after those of earlier parts. */
const appendPostings = (target: MergeTarget, part: SegmentPart, numbers: Uint32Array): void => {
  const { postings, frequencies, base } = part
  for (const [term, number] of numbers.entries()) {
    const from = postings.starts[term] as number
    const to = postings.starts[term + 1] as number
    const targetStart = target.next[number] as number
    for (let at = from; at < to; at++) {
      target.passages[targetStart + at - from] = (postings.passages[at] as number) + base
    }
    if (frequencies) target.frequencies.set(frequencies.subarray(from, to), targetStart)
    target.next[number] = targetStart + to - from
  }
}

const mergePostings = (parts: readonly SegmentPart[]) => {
  const { numbersOf, sorted, starts, next } = mergeTerms(parts)
  const total = starts.at(-1) ?? 0
  const counted = parts.some(({ frequencies }) => frequencies !== null)
  const passages = new Uint16Array(total)
  const frequencies = new Uint8Array(counted ? total : 0)
  for (const [index, part] of parts.entries()) {
    appendPostings({ passages, frequencies, next }, part, numbersOf[index] ?? new Uint32Array())
  }
  return { postings: { hashes: sorted, starts, passages }, frequencies }
}

const totalBytes = (arrays: readonly ArrayBufferView[]): number =>
  arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)

/**
 * Merges segments into one; passages are numbered consecutively. Segments must have at most
 * `maxPassages` passages in total.
 */
export const mergeIndexSegments = (indexes: readonly IndexSegment[]): IndexSegment => {
  let passages = 0
  const bases = indexes.map((index) => {
    passages += index.passages
    return passages - index.passages
  })
  const lengths = new Uint16Array(passages)
  for (const [at, index] of indexes.entries()) lengths.set(index.lengths, bases[at])
  const partsOf = (take: (index: IndexSegment) => Omit<SegmentPart, "base">): SegmentPart[] =>
    indexes.map((index, at) => ({ ...take(index), base: bases[at] ?? 0 }))
  const { postings: counted, frequencies } = mergePostings(
    partsOf((index) => ({ postings: index.counted, frequencies: index.frequencies })),
  )
  const { postings: trigrams } = mergePostings(
    partsOf((index) => ({ postings: index.trigrams, frequencies: null })),
  )
  const arrays = [counted, trigrams].flatMap((some) => [some.hashes, some.starts, some.passages])
  const bytes = totalBytes([...arrays, lengths, frequencies])
  return { passages, lengths, counted, trigrams, frequencies, bytes }
}

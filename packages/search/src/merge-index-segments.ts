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
  for (const [position, hash] of sorted.entries()) {
    const number = numberOf(hash)
    next[number] = starts[position] ?? 0
    starts[position + 1] = (starts[position] ?? 0) + (counts[number] ?? 0)
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

/** Appends a part's postings after those of earlier parts, at the positions `next`. */
const appendPostings = (
  target: Pick<Postings, "passages" | "frequencies"> & { next: Uint32Array },
  { postings, base }: SegmentPart,
  numbers: Uint32Array,
): void => {
  for (const [term, number] of numbers.entries()) {
    const from = postings.starts[term] as number
    const to = postings.starts[term + 1] as number
    const targetStart = target.next[number] as number
    for (let at = from; at < to; at++) {
      target.passages[targetStart + at - from] = (postings.passages[at] as number) + base
    }
    if (postings.frequencies)
      target.frequencies?.set(postings.frequencies.subarray(from, to), targetStart)
    target.next[number] = targetStart + to - from
  }
}

const mergePostings = (parts: readonly SegmentPart[]): Postings => {
  const { numbersOf, sorted, starts, next } = mergeTerms(parts)
  const total = starts.at(-1) ?? 0
  const isCounted = parts.some(({ postings }) => postings.frequencies !== null)
  const passages = new Uint16Array(total)
  const frequencies = isCounted ? new Uint8Array(total) : null
  for (const [index, part] of parts.entries()) {
    appendPostings({ passages, frequencies, next }, part, numbersOf[index] ?? new Uint32Array())
  }
  return { hashes: sorted, starts, passages, frequencies }
}

const bytesOf = ({ hashes, starts, passages, frequencies }: Postings): number =>
  hashes.byteLength + starts.byteLength + passages.byteLength + (frequencies?.byteLength ?? 0)

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
  const merge = (postingsOf: (index: IndexSegment) => Postings): Postings =>
    mergePostings(
      indexes.map((index, at) => ({ postings: postingsOf(index), base: bases[at] ?? 0 })),
    )
  const counted = merge((index) => index.counted)
  const trigrams = merge((index) => index.trigrams)
  const bytes = bytesOf(counted) + bytesOf(trigrams) + lengths.byteLength
  return { passages, lengths, counted, trigrams, bytes }
}

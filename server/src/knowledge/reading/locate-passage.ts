interface TextRange {
  /** UTF-16 offsets. */
  start: number
  end: number
}

interface LocateOptions {
  /** Where the passage was once: the nearest of several places is found. */
  near: number
  /** Waits for the caller's turn before each window is searched. */
  takeTurn: () => Promise<void> | null
}

/** Code units that are searched in one turn. */
const windowLength = 50_000
/** Letters and digits; fewer occur by chance. */
const minKeyLength = 16
const anchorLength = 40
/** A longer passage is found by its beginning of this length. */
const maxSoughtLength = 10_000

/** The letters and digits of a text, and the offset of each. */
const toKey = (text: string): { key: string; offsets: number[] } => {
  const offsets: number[] = []
  let key = ""
  for (const { 0: character, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    key += character
    for (let unit = 0; unit < character.length; unit++) offsets.push(index)
  }
  return { key, offsets }
}

/** Parts of a passage, the best first: all of it, its beginning, its end. */
const anchorsOf = (key: string): string[] =>
  [key, key.slice(0, anchorLength), key.slice(-anchorLength)].filter(
    ({ length }) => length >= minKeyLength,
  )

/** Finds all places of a needle, in linear time even if it repeats itself (Knuth, Morris, Pratt). */
const createFinder = (needle: string): ((piece: string) => number[]) => {
  /** For each beginning of the needle, the length of its longest end that the needle begins with. */
  const borders = new Uint32Array(needle.length)
  const borderOf = (length: number): number => borders[length - 1] ?? 0
  const advance = (matched: number, code: number): number => {
    let length = matched
    while (length > 0 && needle.charCodeAt(length) !== code) length = borderOf(length)
    return needle.charCodeAt(length) === code ? length + 1 : 0
  }
  for (let at = 1; at < needle.length; at++) {
    borders[at] = advance(borderOf(at), needle.charCodeAt(at))
  }
  return (piece) => {
    const places: number[] = []
    let matched = 0
    for (let at = 0; at < piece.length; at++) {
      matched = advance(matched, piece.charCodeAt(at))
      if (matched < needle.length) continue
      places.push(at - needle.length + 1)
      matched = borderOf(matched)
    }
    return places
  }
}

/** The windows that cover a text, and how far away their starts are at least; the nearest first. */
const windowsAround = (near: number, length: number): { from: number; distance: number }[] => {
  const windows: { from: number; distance: number }[] = []
  for (let from = 0; from < length; from += windowLength) {
    windows.push({ from, distance: Math.max(from - near, near - from - windowLength, 0) })
  }
  return windows.sort((a, z) => a.distance - z.distance)
}

interface Search extends LocateOptions {
  /** The best first. */
  needles: readonly string[]
  /** How far a place may extend in the text. */
  reach: number
  /** What is searched of a piece of text, and the offset of each of its code units. */
  prepare: (piece: string) => { key: string; offsetAt: (at: number) => number }
}

/** A place of the needle with this rank; 0 is the best. */
interface Match {
  rank: number
  distance: number
  range: TextRange
}

const isBetter = (match: Match, other: Match | null): boolean =>
  !other ||
  match.rank < other.rank ||
  (match.rank === other.rank && match.distance < other.distance)

/** All places of the needles in a piece that begins at `from`. */
const findMatches = function* (
  finders: readonly { length: number; find: (piece: string) => number[] }[],
  { key, offsetAt }: ReturnType<Search["prepare"]>,
  { from, near }: { from: number; near: number },
): Generator<Match> {
  for (const [rank, { length, find }] of finders.entries()) {
    for (const at of find(key)) {
      const range = { start: from + offsetAt(at), end: from + offsetAt(at + length - 1) + 1 }
      yield { rank, distance: Math.abs(range.start - near), range }
    }
  }
}

/** The nearest place of the best needle that occurs. */
const search = async (
  text: string,
  { needles, reach, prepare, near, takeTurn }: Search,
): Promise<TextRange | null> => {
  const finders = needles.map((needle) => ({ length: needle.length, find: createFinder(needle) }))
  let best: Match | null = null
  for (const { from, distance: least } of windowsAround(near, text.length)) {
    if (best?.rank === 0 && best.distance <= least) break
    await takeTurn()
    const piece = prepare(text.slice(from, from + windowLength + reach))
    const worst: number = best?.rank ?? finders.length
    for (const match of findMatches(finders.slice(0, worst + 1), piece, { from, near })) {
      if (isBetter(match, best)) best = match
    }
  }
  return best?.range ?? null
}

/**
 * Finds a passage in a text that may have been extracted differently since: spaces, punctuation and
 * hyphens do not count, and the beginning or the end of the passage suffices.
 * @returns null if it is not found, or too short to be recognized
 */
export const locatePassage = async (
  text: string,
  passage: string,
  options: LocateOptions,
): Promise<TextRange | null> => {
  const sought = passage.slice(0, maxSoughtLength)
  const exact = await search(text, {
    ...options,
    needles: [sought],
    reach: sought.length,
    prepare: (piece) => ({ key: piece, offsetAt: (at) => at }),
  })
  if (exact) {
    const length = text.startsWith(passage, exact.start) ? passage.length : sought.length
    return { start: exact.start, end: exact.start + length }
  }
  const needles = anchorsOf(toKey(sought).key)
  if (needles.length === 0) return null
  const prepare = (piece: string) => {
    const { key, offsets } = toKey(piece)
    return { key, offsetAt: (at: number) => offsets[at] ?? 0 }
  }
  return search(text, { ...options, needles, reach: sought.length * 2, prepare })
}

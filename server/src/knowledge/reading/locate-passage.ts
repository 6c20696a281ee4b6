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

const findExact = (text: string, passage: string, near: number): TextRange | null => {
  const starts = [text.lastIndexOf(passage, near), text.indexOf(passage, near)]
  const [start] = starts
    .filter((at) => at >= 0)
    .sort((a, z) => Math.abs(a - near) - Math.abs(z - near))
  return start === undefined ? null : { start, end: start + passage.length }
}

/** The first of the anchors that a piece of text contains, by its rank; undefined if none. */
const findAnchor = (
  piece: string,
  anchors: readonly string[],
): { rank: number; range: TextRange } | undefined => {
  const { key, offsets } = toKey(piece)
  for (const [rank, anchor] of anchors.entries()) {
    const at = key.indexOf(anchor)
    const start = offsets[at]
    const last = offsets[at + anchor.length - 1]
    if (start !== undefined && last !== undefined) return { rank, range: { start, end: last + 1 } }
  }
  return undefined
}

/** The starts of windows that cover a text, the nearest to an offset first. */
const windowsAround = (near: number, length: number): number[] => {
  const starts: number[] = []
  for (let start = 0; start < length; start += windowLength) starts.push(start)
  const distance = (start: number): number => Math.abs(start + windowLength / 2 - near)
  return starts.sort((a, z) => distance(a) - distance(z))
}

/**
 * Finds a passage in a text that may have been extracted differently since: spaces, punctuation and
 * hyphens do not count, and the beginning or the end of the passage suffices.
 * @returns null if it is not found, or too short to be recognized
 */
export const locatePassage = async (
  text: string,
  passage: string,
  { near, takeTurn }: LocateOptions,
): Promise<TextRange | null> => {
  await takeTurn()
  const exact = findExact(text, passage, near)
  if (exact) return exact
  const anchors = anchorsOf(toKey(passage).key)
  const reach = passage.length * 2
  let best: { rank: number; range: TextRange } | undefined
  for (const from of windowsAround(near, text.length)) {
    await takeTurn()
    const better = anchors.slice(0, best?.rank)
    const found = findAnchor(text.slice(from, from + windowLength + reach), better)
    if (!found) continue
    const { start, end } = found.range
    best = { rank: found.rank, range: { start: from + start, end: from + end } }
    if (best.rank === 0) break
  }
  return best?.range ?? null
}

/** Part of one of a page's text runs, in UTF-16 code units. */
export interface RunRange {
  run: number
  start: number
  end: number
}

/** Significant characters: a shorter match may be a coincidence. */
const minMatchLength = 32
/** Length of the pieces by which a match is found, in significant characters. */
const seedLength = 12

/** The significant characters of several texts, with the place each one comes from. */
interface SignificantText {
  text: string
  runs: number[]
  starts: number[]
  ends: number[]
}

const insignificant = /[^\p{L}\p{N}]/gu

/**
 * Keeps letters and digits only, in lower case and without accents. Whitespace, hyphens, ligatures
 * and composed characters differ between a page and the text extracted from it.
 */
const significantTextOf = (runs: readonly string[]): SignificantText => {
  const found: SignificantText = { text: "", runs: [], starts: [], ends: [] }
  const parts: string[] = []
  for (const [run, text] of runs.entries()) {
    let at = 0
    for (const character of text) {
      const kept = character.normalize("NFKD").toLowerCase().replace(insignificant, "")
      parts.push(kept)
      for (let unit = 0; unit < kept.length; unit++) {
        found.runs.push(run)
        found.starts.push(at)
        found.ends.push(at + character.length)
      }
      at += character.length
    }
  }
  found.text = parts.join("")
  return found
}

/** First position of every piece of this length. */
const indexPieces = (text: string, length: number): Map<string, number> => {
  const positionByPiece = new Map<string, number>()
  for (let at = 0; at + length <= text.length; at++) {
    const piece = text.slice(at, at + length)
    if (!positionByPiece.has(piece)) positionByPiece.set(piece, at)
  }
  return positionByPiece
}

const commonLength = (a: string, fromA: number, b: string, fromB: number): number => {
  let length = 0
  while (fromA + length < a.length && a[fromA + length] === b[fromB + length]) length++
  return length
}

/** Ends of the matches by their starts. Takes linear time: a match is never read again. */
const findMatches = (page: string, passage: string): [start: number, end: number][] => {
  const minLength = Math.min(minMatchLength, passage.length)
  const length = Math.min(seedLength, passage.length)
  if (length === 0) return []
  const positionByPiece = indexPieces(passage, length)
  const matches: [number, number][] = []
  let at = 0
  while (at + length <= page.length) {
    const position = positionByPiece.get(page.slice(at, at + length))
    const matched = position === undefined ? 0 : commonLength(page, at, passage, position)
    if (matched >= minLength) matches.push([at, at + matched])
    at += matched >= minLength ? matched : 1
  }
  return matches
}

/** Includes the punctuation that follows a match: a full stop belongs to its sentence. */
const withPunctuation = (text: string, end: number): number =>
  end + (/^[^\p{L}\p{N}\s]*/u.exec(text.slice(end, end + 8))?.[0].length ?? 0)

const rangesOf = (
  runs: readonly string[],
  page: SignificantText,
  [start, end]: readonly [number, number],
): RunRange[] => {
  const ranges: RunRange[] = []
  for (let at = start; at < end; at++) {
    const run = page.runs[at] ?? 0
    const last = ranges.at(-1)
    if (last?.run === run) last.end = page.ends[at] ?? 0
    else ranges.push({ run, start: page.starts[at] ?? 0, end: page.ends[at] ?? 0 })
  }
  return ranges.map((range) => ({
    ...range,
    end: withPunctuation(runs[range.run] ?? "", range.end),
  }))
}

/**
 * Finds a passage in a page's text runs, whatever their line breaks, hyphens and spaces. Finds its
 * parts if it is interrupted, as by a header.
 */
export const findPassage = (runs: readonly string[], passage: string): RunRange[] => {
  const page = significantTextOf(runs)
  const wanted = significantTextOf([passage])
  return findMatches(page.text, wanted.text).flatMap((match) => rangesOf(runs, page, match))
}

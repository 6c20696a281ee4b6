import { maxPassages } from "../index-segment.ts"
import type { Place } from "../location.ts"
import { type Block, clean, unreadable } from "./blocks.ts"

/** Target characters per passage; longer only if the text cannot be split. */
const wanted = 1100
const max = 1300
const overlap = 110

export interface Passage {
  /** UTF-16 offsets in the document's text; a passage is an exact substring of it. */
  starts: number
  ends: number
  place: Place
}

export interface Split {
  text: string
  passages: Passage[]
}

interface Placed extends Block {
  starts: number
  ends: number
}

const separators: Record<Block["kind"], string> = {
  heading: "\n\n",
  paragraph: "\n\n",
  row: "\n",
  code: "\n\n",
}

/** Removes leading blank lines but keeps the first line's indentation, which matters in code. */
const withoutBlankLines = (text: string): string => {
  const start = text.length - text.trimStart().length
  return start === 0 ? text : text.slice(text.lastIndexOf("\n", start - 1) + 1)
}

/** Joins the blocks into one text and records each block's offsets. */
const join = (blocks: readonly Block[]): { text: string; placed: Placed[] } => {
  const parts: string[] = []
  const placed: Placed[] = []
  let at = 0
  for (const block of blocks) {
    const own = withoutBlankLines(clean(block.text).trimEnd())
    if (own === "") continue
    const before = parts.length === 0 ? "" : separators[block.kind]
    parts.push(before, own)
    at += before.length
    placed.push({ ...block, starts: at, ends: at + own.length })
    at += own.length
  }
  return { text: parts.join(""), placed }
}

const sameSection = (a: Place, z: Place): boolean =>
  a.page === z.page &&
  a.slide === z.slide &&
  a.sheet === z.sheet &&
  JSON.stringify(a.heading) === JSON.stringify(z.heading)

const sentenceEnd = /[.!?。！？…]["'”’)\]]*\s+|[。！？]|\n+/g

/** Ends of sentences and lines, where a long text can be split. */
const cuts = (text: string): number[] => {
  const ends: number[] = []
  for (const match of text.matchAll(sentenceEnd)) ends.push(match.index + match[0].length)
  ends.push(text.length)
  return ends
}

const wordBreak = (text: string, from: number, to: number): number => {
  const least = Math.ceil(from + wanted / 2)
  // Limited to the usable range: searching further is quadratic in text without spaces.
  const space = text.slice(least, to + 1).lastIndexOf(" ")
  const at = space > 0 ? least + space + 1 : to
  // Never inside a surrogate pair.
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** End of the piece that starts at `from`: after a sentence if one ends within reach. */
const pieceEnd = (text: string, ends: readonly number[], from: number): number => {
  if (text.length - from <= max) return text.length
  const near = ends.filter((end) => end - from > wanted / 2 && end - from <= max)
  const best = near.find((end) => end - from >= wanted) ?? near.at(-1)
  return best ?? wordBreak(text, from, Math.min(text.length, from + wanted))
}

/** Splits a block that is too long for one passage into overlapping ranges. */
const tear = (text: string): [number, number][] => {
  const all = cuts(text)
  const ranges: [number, number][] = []
  let from = 0
  let first = 0
  while (from < text.length) {
    while ((all[first] ?? text.length) <= from) first++
    const ends = all.slice(first, first + 2 * max)
    const to = pieceEnd(text, ends, from)
    ranges.push([from, to])
    if (to >= text.length) break
    const back = ends.findLast((end) => end >= to - overlap && end < to)
    from = back !== undefined && back > from ? back : to
  }
  return ranges
}

const trimmed = (text: string, starts: number, ends: number): [number, number] => {
  const piece = text.slice(starts, ends)
  const kept = piece.trimEnd()
  return [starts + kept.length - kept.trimStart().length, starts + kept.length]
}

/** A heading is grouped with the text after it and never ends a passage. */
const belongs = (first: Placed, last: Placed, block: Placed): boolean => {
  if (last.kind === "heading") return true
  if (block.kind === "heading" || !sameSection(last.place, block.place)) return false
  return block.ends - first.starts <= wanted
}

const group = (placed: readonly Placed[]): Placed[][] => {
  const groups: Placed[][] = []
  let current: Placed[] = []
  for (const block of placed) {
    const [first] = current
    const last = current.at(-1)
    if (first && last && !belongs(first, last, block)) {
      groups.push(current)
      current = []
    }
    current.push(block)
  }
  if (current.length > 0) groups.push(current)
  return groups
}

const passagesOf = (text: string, blocks: readonly Placed[]): Passage[] => {
  const [first] = blocks
  const last = blocks.at(-1)
  if (!first || !last) return []
  const place = first.kind === "heading" ? last.place : first.place
  const whole = text.slice(first.starts, last.ends)
  const ranges: [number, number][] = whole.length <= max ? [[0, whole.length]] : tear(whole)
  return ranges
    .map(([from, to]) => trimmed(text, first.starts + from, first.starts + to))
    .filter(([starts, ends]) => ends > starts)
    .map(([starts, ends]) => ({ starts, ends, place }))
}

/**
 * Splits a document along its structure into passages of about 1,100 characters.
 * @throws {UnreadableDocument} if the text or the number of passages exceeds its limit
 */
export const split = (blocks: readonly Block[], limits: { characters: number }): Split => {
  const { text, placed } = join(blocks)
  if (text.length > limits.characters) {
    unreadable(
      `This file has more than ${limits.characters.toLocaleString("en")} characters of text. Split it into several files.`,
    )
  }
  const passages = group(placed).flatMap((blocksOfOne) => passagesOf(text, blocksOfOne))
  if (passages.length > maxPassages)
    unreadable("This file is too long. Split it into several files.")
  return { text, passages }
}

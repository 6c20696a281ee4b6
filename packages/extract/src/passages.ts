import type { Block, ExtractionLimits, PassageLocation } from "./blocks.ts"
import { failUnreadable } from "./unreadable.ts"

/** Target characters per passage; longer only if the text cannot be split. */
const targetLength = 1100
const maxLength = 1300
const overlapLength = 110

export interface Passage {
  /** UTF-16 offsets in the document's text; a passage is an exact substring of it. */
  starts: number
  ends: number
  location: PassageLocation
}

interface PositionedBlock extends Block {
  starts: number
  ends: number
}

const separators: Record<Block["kind"], string> = {
  heading: "\n\n",
  paragraph: "\n\n",
  row: "\n",
  code: "\n\n",
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** Text that every database can store: no control characters or lone surrogates, `\n` line ends. */
const cleanText = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(controlCharacters, "").toWellFormed()

/** Removes leading blank lines but keeps the first line's indentation, which matters in code. */
const trimLeadingBlankLines = (text: string): string => {
  const start = text.length - text.trimStart().length
  return start === 0 ? text : text.slice(text.lastIndexOf("\n", start - 1) + 1)
}

/** Joins the blocks into one text and records each block's offsets. */
const joinBlocks = (blocks: readonly Block[]): { text: string; positioned: PositionedBlock[] } => {
  const parts: string[] = []
  const positioned: PositionedBlock[] = []
  let at = 0
  for (const block of blocks) {
    const blockText = trimLeadingBlankLines(cleanText(block.text).trimEnd())
    if (blockText === "") continue
    const before = parts.length === 0 ? "" : separators[block.kind]
    parts.push(before, blockText)
    at += before.length
    positioned.push({ ...block, starts: at, ends: at + blockText.length })
    at += blockText.length
  }
  return { text: parts.join(""), positioned }
}

const sameSection = (a: PassageLocation, z: PassageLocation): boolean =>
  a.page === z.page &&
  a.slide === z.slide &&
  a.sheet === z.sheet &&
  JSON.stringify(a.heading) === JSON.stringify(z.heading)

const sentenceEnd = /[.!?。！？…]["'”’)\]]*\s+|[。！？]|\n+/g

/** Ends of sentences and lines, where a long text can be split. */
const sentenceEndsOf = (text: string): number[] => [
  ...Array.from(text.matchAll(sentenceEnd), (match) => match.index + match[0].length),
  text.length,
]

const wordBreak = (text: string, from: number, to: number): number => {
  const minEnd = Math.ceil(from + targetLength / 2)
  // Limited to the usable range: searching further is quadratic in text without spaces.
  const space = text.slice(minEnd, to + 1).lastIndexOf(" ")
  const at = space > 0 ? minEnd + space + 1 : to
  // Never inside a surrogate pair.
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** End of the piece that starts at `from`: after a sentence if one ends within reach. */
const pieceEnd = (text: string, ends: readonly number[], from: number): number => {
  if (text.length - from <= maxLength) return text.length
  const reachable = ends.filter((end) => end - from > targetLength / 2 && end - from <= maxLength)
  const best = reachable.find((end) => end - from >= targetLength) ?? reachable.at(-1)
  return best ?? wordBreak(text, from, Math.min(text.length, from + targetLength))
}

/** Splits a block that is too long for one passage into overlapping ranges. */
const splitLongText = (text: string): [number, number][] => {
  const all = sentenceEndsOf(text)
  const ranges: [number, number][] = []
  let from = 0
  let first = 0
  while (from < text.length) {
    while ((all[first] ?? text.length) <= from) first++
    const ends = all.slice(first, first + 2 * maxLength)
    const to = pieceEnd(text, ends, from)
    ranges.push([from, to])
    if (to >= text.length) break
    const overlapStart = ends.findLast((end) => end >= to - overlapLength && end < to)
    from = overlapStart !== undefined && overlapStart > from ? overlapStart : to
  }
  return ranges
}

const trimRange = (text: string, starts: number, ends: number): [number, number] => {
  const piece = text.slice(starts, ends)
  const withoutTrailing = piece.trimEnd()
  return [
    starts + withoutTrailing.length - withoutTrailing.trimStart().length,
    starts + withoutTrailing.length,
  ]
}

/** A heading is grouped with the text after it and never ends a passage. */
const belongsToGroup = (
  first: PositionedBlock,
  last: PositionedBlock,
  block: PositionedBlock,
): boolean => {
  if (last.kind === "heading") return true
  if (block.kind === "heading" || !sameSection(last.location, block.location)) return false
  return block.ends - first.starts <= targetLength
}

const groupBlocks = (positioned: readonly PositionedBlock[]): PositionedBlock[][] => {
  const groups: PositionedBlock[][] = []
  for (const block of positioned) {
    const group = groups.at(-1) ?? []
    const [first, last] = [group[0], group.at(-1)]
    if (first && last && belongsToGroup(first, last, block)) group.push(block)
    else groups.push([block])
  }
  return groups
}

const passagesOf = (text: string, blocks: readonly PositionedBlock[]): Passage[] => {
  const [first] = blocks
  const last = blocks.at(-1)
  if (!first || !last) return []
  const location = first.kind === "heading" ? last.location : first.location
  const whole = text.slice(first.starts, last.ends)
  const ranges: [number, number][] =
    whole.length <= maxLength ? [[0, whole.length]] : splitLongText(whole)
  return ranges
    .map(([from, to]) => trimRange(text, first.starts + from, first.starts + to))
    .filter(([starts, ends]) => ends > starts)
    .map(([starts, ends]) => ({ starts, ends, location }))
}

/**
 * Splits a document along its structure into passages of about 1,100 characters.
 * @throws {UnreadableDocumentError} if the text or the number of passages exceeds its limit
 */
export const splitIntoPassages = (
  blocks: readonly Block[],
  limits: Pick<ExtractionLimits, "characters" | "passages">,
): { text: string; passages: Passage[] } => {
  const { text, positioned } = joinBlocks(blocks)
  if (text.length > limits.characters) {
    failUnreadable("too_large", {
      id: "document_too_many_characters",
      values: { max: limits.characters.toLocaleString("en") },
    })
  }
  const passages = groupBlocks(positioned).flatMap((blocksOfOne) => passagesOf(text, blocksOfOne))
  if (passages.length > limits.passages) failUnreadable("too_large", { id: "document_too_long" })
  return { text, passages }
}

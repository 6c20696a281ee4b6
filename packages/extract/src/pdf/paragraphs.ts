import { areIdeographs } from "./ideographs.ts"
import { type TextLine, textOfLine } from "./text-lines.ts"

/** In font sizes. A larger drop starts a paragraph whatever the spacing of the page's lines. */
const maxLineSpacing = 2.4
const minLineSpacing = 1.2
/** Relative to the usual distance of lines. */
const paragraphSpacing = 1.3
const maxSizeChange = 0.12
/** Lines from which a paragraph's own width tells where its lines end. */
const minLinesOfKnownWidth = 4

const listMarker =
  /^(?:[\u2022\u25AA\u25CF\u25CB\u25E6\u2023\u2043\u25A0\u25A1\u2013\u2014\u00B7\uF0B7*-]\s|\(?(?:\d{1,3}(?:\.\d{1,3}){0,5}|[a-zA-Z]|[ivx]{1,5})[.)]\s|§+\s?\d)/u

const widthOf = ({ start, end }: TextLine): number => end - start

const hyphenAtEnd = /[\p{L}\p{N}][-\u2010\u00AD]$/u
const brokenWord = /^\p{Ll}/u
/** After a hyphen that stands for a part of a word, as in "pre- and postwar". */
const wordAfterOpenHyphen = /^(?:und|oder|bzw|sowie|bis|and|or|to|et|ou|y|o|e|en|of|och|og)\b/u

/** Joins a line to the one before it, which ends because the column ends. */
export const joinWrapped = (before: string, after: string): string => {
  if (areIdeographs(before, after)) return before + after
  if (before.endsWith("\u00AD")) return before.slice(0, -1) + after
  if (/\p{N}[-\u2010\u2013]$/u.test(before.slice(-2)) && /^\p{N}/u.test(after))
    return before + after
  if (!hyphenAtEnd.test(before.slice(-2)) || wordAfterOpenHyphen.test(after))
    return `${before} ${after}`
  return brokenWord.test(after) ? before.slice(0, -1) + after : before + after
}

/** Whether the first word of a line would have fit on the line before: the author ended that. */
const isEndedByAuthor = (before: TextLine, line: TextLine, columnWidth: number): boolean => {
  const text = textOfLine(line)
  if (listMarker.test(text)) return true
  if (before.isMonospace && line.isMonospace) return true
  if (hyphenAtEnd.test(textOfLine(before).slice(-2))) return false
  const firstWord = /^\S+/u.exec(text)?.[0].length ?? 0
  const wordWidth = (widthOf(line) / Math.max(1, text.length)) * firstWord
  return columnWidth - widthOf(before) > wordWidth + 0.8 * line.size
}

const isNextLine = (before: TextLine, line: TextLine, spacing: number): boolean => {
  if (before.angle !== line.angle) return false
  const size = Math.max(before.size, line.size)
  if (Math.abs(before.size - line.size) > maxSizeChange * size) return false
  const drop = before.baseline - line.baseline
  if (drop < 0.3 * size || drop > paragraphSpacing * spacing) return false
  return line.start < before.end && before.start < line.end
}

/** The usual distance of lines below each other. */
const lineSpacingOf = (lines: readonly TextLine[]): number => {
  const drops = lines.flatMap((line, index) => {
    const before = lines[index - 1]
    const isBelow = before && isNextLine(before, line, maxLineSpacing * line.size)
    return isBelow ? [(before.baseline - line.baseline) / line.size] : []
  })
  const median = drops.toSorted((a, z) => a - z)[Math.floor(drops.length / 2)] ?? minLineSpacing
  return Math.min(maxLineSpacing, Math.max(minLineSpacing, median))
}

const columnKey = ({ angle, size, start }: TextLine): string =>
  `${angle} ${size.toFixed()} ${Math.round(start / 4)}`

/** The width of the widest line that starts at the same place. */
const columnWidthsOf = (lines: readonly TextLine[]): Map<string, number> => {
  const widths = new Map<string, number>()
  for (const line of lines) {
    const key = columnKey(line)
    widths.set(key, Math.max(widths.get(key) ?? 0, widthOf(line)))
  }
  return widths
}

const textOfParagraph = (lines: readonly TextLine[], widths: Map<string, number>): string => {
  const own = lines.reduce((max, line) => Math.max(max, widthOf(line)), 0)
  const parts: string[] = []
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    const next = textOfLine(line)
    const last = parts.pop()
    if (before && last !== undefined) {
      const column = Math.max(own, widths.get(columnKey(before)) ?? 0)
      const width = lines.length < minLinesOfKnownWidth ? column : own
      const isEnd = isEndedByAuthor(before, line, width)
      const joined = isEnd ? `${last}\n${next}` : joinWrapped(last, next)
      parts.push(joined.slice(0, joined.length - next.length))
    }
    parts.push(next)
  }
  return parts.join("").replaceAll("\u00AD", "")
}

/** Lines that belong together, in which only the ends that the author set are line breaks. */
export const paragraphsOf = (lines: readonly TextLine[]): string[] => {
  const spacing = lineSpacingOf(lines)
  const widths = columnWidthsOf(lines)
  const paragraphs: TextLine[][] = []
  for (const line of lines) {
    const paragraph = paragraphs.at(-1)
    const before = paragraph?.at(-1)
    if (before && isNextLine(before, line, spacing * line.size)) paragraph?.push(line)
    else paragraphs.push([line])
  }
  return paragraphs.map((paragraph) => textOfParagraph(paragraph, widths))
}

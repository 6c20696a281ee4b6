import { type TextCell, type TextLine, textOfLine } from "./text-lines.ts"

/** In font sizes. */
const minGapWidth = 0.9
const minLinesOfColumn = 8
/** Shorter lines are cells of a table. */
const minWordsOfLine = 4
/** Part of the lines that are not divided, as the rows of a table are. */
const minProse = 0.8
/** Part of the lines that may cross the gap, such as titles. */
const maxCrossing = 0.15
/** Part of the shorter column's lines after which the other column is drawn. */
const minAlternation = 0.4
/** Distance of the places where the gap is sought, in points. */
const step = 2
const maxSteps = 2000

type Side = "left" | "right" | "both"

const sideOf = ({ start, end }: Pick<TextCell, "start" | "end">, gap: number): Side => {
  if (end <= gap) return "left"
  return start >= gap ? "right" : "both"
}

/** Splits the lines that have cells in both columns. */
const splitAt = (lines: readonly TextLine[], gap: number): TextLine[] =>
  lines.flatMap((line) => {
    const cellsBySide = Map.groupBy(line.cells, (cell) => sideOf(cell, gap))
    if (cellsBySide.size < 2 || cellsBySide.has("both")) return [line]
    return [...cellsBySide.values()].map((cells) => ({
      ...line,
      cells,
      start: cells.reduce((min, { start }) => Math.min(min, start), line.end),
      end: cells.reduce((max, { end }) => Math.max(max, end), line.start),
    }))
  })

/** Middle of the longest part with few texts, in steps. */
const middleOfGap = (texts: readonly number[], most: number): { at: number; length: number } => {
  let best = { at: 0, length: 0 }
  let length = 0
  for (let at = Math.floor(texts.length / 4); at < (texts.length * 3) / 4; at++) {
    length = (texts[at] ?? 0) <= most ? length + 1 : 0
    if (length > best.length) best = { at: at - length / 2, length }
  }
  return best
}

/** The place between two columns, if the page has two. */
const findGap = (lines: readonly TextLine[]): number | null => {
  const start = lines.reduce((min, line) => Math.min(min, line.start), Number.POSITIVE_INFINITY)
  const end = lines.reduce((max, line) => Math.max(max, line.end), Number.NEGATIVE_INFINITY)
  const size = lines[0]?.size ?? 0
  const steps = Math.ceil((end - start) / step)
  if (!(steps > 0 && steps <= maxSteps)) return null
  const changes = new Array<number>(steps + 2).fill(0)
  const change = (x: number, by: number): void => {
    const at = Math.round((x - start) / step)
    changes[at] = (changes[at] ?? 0) + by
  }
  const cells = lines.flatMap((line) => line.cells)
  if (cells.length < 2 * minLinesOfColumn) return null
  for (const cell of cells) {
    change(cell.start, 1)
    change(cell.end, -1)
  }
  let covering = 0
  const texts = changes.map((by) => (covering += by))
  const { at, length } = middleOfGap(texts, maxCrossing * cells.length)
  return length * step >= minGapWidth * size ? start + at * step : null
}

const wordsIn = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0

const isProse = (lines: readonly TextLine[]): boolean => {
  const texts = lines.filter(({ cells }) => cells.length === 1).map(textOfLine)
  if (texts.length < minLinesOfColumn || texts.length < minProse * lines.length) return false
  const words = texts.reduce((sum, text) => sum + wordsIn(text), 0)
  return words >= minWordsOfLine * texts.length
}

/** Whether two columns of prose are drawn together, from the top of the page to its bottom. */
const areDrawnTogether = (lines: readonly TextLine[], gap: number): boolean => {
  const sides = lines.map((line) => sideOf(line, gap))
  const [left, right] = [
    lines.filter((_line, index) => sides[index] === "left"),
    lines.filter((_line, index) => sides[index] === "right"),
  ]
  const returns = sides.filter((side, index) => side === "right" && sides[index - 1] === "left")
  return (
    returns.length >= minAlternation * Math.min(left.length, right.length) &&
    isProse(left) &&
    isProse(right)
  )
}

/** Puts one column after the other between the lines that cross both. */
const orderByColumn = (lines: readonly TextLine[], gap: number): TextLine[] => {
  const ordered: TextLine[] = []
  const right: TextLine[] = []
  for (const line of lines) {
    const side = sideOf(line, gap)
    if (side === "right") {
      right.push(line)
      continue
    }
    if (side === "both") for (const each of right.splice(0)) ordered.push(each)
    ordered.push(line)
  }
  return [...ordered, ...right]
}

/** Separates two columns of prose that a page draws line by line. */
export const separateColumns = (lines: readonly TextLine[]): readonly TextLine[] => {
  const upright = lines.every(({ angle }) => angle === lines[0]?.angle)
  const gap = upright ? findGap(lines) : null
  if (gap === null) return lines
  const split = splitAt(lines, gap)
  return areDrawnTogether(split, gap) ? orderByColumn(split, gap) : lines
}

import { type Direction, directionOfLine, joinByDirection } from "./text-direction.ts"
import type { TextRun } from "./text-runs.ts"

/** A part of a line with wide gaps around it. */
export interface TextCell {
  text: string
  start: number
  end: number
}

/** Text on one baseline. The cells are in the order of reading. */
export interface TextLine extends Omit<TextRun, "text" | "startsSpaced" | "endsSpaced"> {
  cells: TextCell[]
  direction: Direction
}

/** In font sizes. */
const minCellGap = 1
/** A line with more gaps is spaced text. */
const maxCells = 60
const maxBaselineShift = 0.15
/** The baseline of a superscript or subscript beside the line, in font sizes. */
const maxScriptShift = 0.6
/** Relative to the line's. */
const maxScriptSize = 0.85

const isScript = (line: TextRun, last: TextRun, run: TextRun): boolean => {
  const [small, large] = [Math.min(line.size, run.size), Math.max(line.size, run.size)]
  const gap = (run.start - last.end) / large
  return small < maxScriptSize * large && gap > -0.5 && gap < 0.6
}

const isOnLine = (line: TextRun, last: TextRun, run: TextRun): boolean => {
  if (run.angle !== line.angle) return false
  const shift = Math.abs(run.baseline - line.baseline) / Math.max(line.size, run.size)
  return shift <= maxBaselineShift || (shift <= maxScriptShift && isScript(line, last, run))
}

interface RunsOfLine {
  /** The longest: bullets and first letters may be larger. */
  main: TextRun
  runs: TextRun[]
}

/** Runs that are drawn one after the other on the same baseline. */
const groupByBaseline = (runs: readonly TextRun[]): RunsOfLine[] => {
  const lines: RunsOfLine[] = []
  let last: TextRun | undefined
  for (const run of runs) {
    const line = lines.at(-1)
    if (line && last && isOnLine(line.main, last, run)) {
      line.runs.push(run)
      if (run.text.length > line.main.text.length) line.main = run
    } else {
      lines.push({ main: run, runs: [run] })
    }
    last = run
  }
  return lines
}

/** Some producers draw bold text twice, a little apart. */
const isDrawnTwice = (before: TextRun | undefined, run: TextRun): boolean =>
  before?.text === run.text && Math.abs(before.start - run.start) < 0.3 * run.size

const splitAtGaps = (runs: readonly TextRun[]): TextRun[][] => {
  const cells: TextRun[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const run of runs) {
    const cell = cells.at(-1)
    if (cell && run.start - end < minCellGap * run.size) cell.push(run)
    else cells.push([run])
    end = Math.max(end, run.end)
  }
  return cells
}

const lineOf = ({ main, runs }: RunsOfLine): TextLine => {
  const sorted = runs
    .toSorted((a, z) => a.start - z.start)
    .filter((run, index, all) => !isDrawnTwice(all[index - 1], run))
  const direction = directionOfLine(sorted)
  const parts = splitAtGaps(sorted)
  const cells = (parts.length > maxCells ? [sorted] : parts).map((cell): TextCell => {
    const { text, start, end } = joinByDirection(cell, direction)
    return { text, start, end }
  })
  const { baseline, size, angle, isMonospace, pagePosition } = main
  return {
    cells: direction === "right-to-left" ? cells.toReversed() : cells,
    start: cells[0]?.start ?? main.start,
    end: cells.reduce((end, cell) => Math.max(end, cell.end), main.end),
    direction,
    ...{ baseline, size, angle, isMonospace, pagePosition },
  }
}

/** The lines of a page in the order in which it draws them. */
export const linesOf = (runs: readonly TextRun[]): TextLine[] => groupByBaseline(runs).map(lineOf)

export const textOfLine = ({ cells }: TextLine): string => cells.map(({ text }) => text).join(" ")

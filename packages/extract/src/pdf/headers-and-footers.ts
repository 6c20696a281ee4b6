import { isPageNumber } from "../page-number.ts"
import { type TextLine, textOfLine } from "./text-lines.ts"

/** Part of the page's height at its top and its bottom. */
const marginHeight = 0.1
/** Part of the page's height by which a header may move. */
const maxShift = 0.006
const minPages = 3
/** Left and right pages, and the first pages of chapters, have headers of their own. */
const maxPagesBetween = 2
/** Pages before the one that is numbered 1. */
const maxUnnumberedPages = 50

interface PageLines {
  /** 1-based. */
  page: number
  lines: TextLine[]
}

/** A line in the margin of pages that follow each other. */
interface RepeatedLine {
  lines: TextLine[]
  page: number
  position: number
  numbers: number[]
  hasPageNumber: boolean
}

const isInMargin = ({ pagePosition }: TextLine): boolean =>
  pagePosition < marginHeight || pagePosition > 1 - marginHeight

const numbersIn = (text: string): number[] => Array.from(text.matchAll(/\d+/g), Number)

const isNumberOfPage = (number: number, page: number): boolean =>
  Math.abs(number - page) <= maxUnnumberedPages

/** Whether the numbers of a line are the same as on the page before, or count the pages. */
const continues = (last: RepeatedLine, page: number, line: TextLine): boolean => {
  const between = page - last.page
  if (between > maxPagesBetween || between === 0) return false
  if (Math.abs(line.pagePosition - last.position) > maxShift) return false
  return numbersIn(textOfLine(line)).every((number, index) => {
    const before = last.numbers[index]
    if (number === before) return true
    return number - (before ?? 0) === between && isNumberOfPage(number, page)
  })
}

const addLine = (repeated: RepeatedLine[], page: number, line: TextLine): void => {
  const last = repeated.at(-1)
  const numbers = numbersIn(textOfLine(line))
  const position = line.pagePosition
  if (last && continues(last, page, line)) {
    const counts = numbers.some((number, index) => number !== last.numbers[index])
    last.lines.push(line)
    Object.assign(last, { page, position, numbers })
    last.hasPageNumber ||= counts
  } else {
    repeated.push({ lines: [line], page, position, numbers, hasPageNumber: false })
  }
}

/** The lines that repeat, by their text with `#` for each number. */
const repeatedLines = (pages: readonly PageLines[]): Map<string, RepeatedLine[]> => {
  const repeatedByText = new Map<string, RepeatedLine[]>()
  for (const { page, lines } of pages) {
    for (const line of lines) {
      if (!isInMargin(line)) continue
      const text = textOfLine(line).replace(/\d+/g, "#")
      const repeated = repeatedByText.get(text) ?? []
      repeatedByText.set(text, repeated)
      addLine(repeated, page, line)
    }
  }
  return repeatedByText
}

const repetitionsOf = ({ lines, hasPageNumber }: RepeatedLine): TextLine[] => {
  const [first] = lines
  if (!first || lines.length < minPages) return []
  return lines.slice(hasPageNumber && isPageNumber(textOfLine(first)) ? 0 : 1)
}

/** Keeps headers and footers where they stand first, and takes out numbers of pages. */
export const withoutRepeatedHeaders = (pages: readonly PageLines[]): PageLines[] => {
  const removed = new Set<TextLine>()
  for (const repeated of repeatedLines(pages).values()) {
    for (const each of repeated) {
      for (const line of repetitionsOf(each)) removed.add(line)
    }
  }
  return pages.map(({ page, lines }) => ({
    page,
    lines: lines.filter((line) => !removed.has(line)),
  }))
}

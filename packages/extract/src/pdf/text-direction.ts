import { areIdeographs } from "./ideographs.ts"
import type { TextRun } from "./text-runs.ts"

export type Direction = "left-to-right" | "right-to-left"

/** A narrower gap, in font sizes, is kerning. */
const minWordGap = 0.12
/** A wider gap, in font sizes, separates words of Chinese and Japanese. */
const maxIdeographGap = 1

const rightToLeftLetter = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/g
const leftToRightLetter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/gu
const count = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0

/** The direction of most letters. */
export const directionOfLine = (runs: readonly TextRun[]): Direction => {
  let balance = 0
  for (const { text } of runs) {
    balance += count(text, rightToLeftLetter) - count(text, leftToRightLetter)
  }
  return balance > 0 ? "right-to-left" : "left-to-right"
}

const directionOfRun = (text: string): Direction | "neutral" => {
  if (count(text, rightToLeftLetter) > 0) return "right-to-left"
  return /[\p{L}\p{N}]/u.test(text) ? "left-to-right" : "neutral"
}

const wordEnd = /[\p{L}\p{N}]$/u
const wordStart = /^[\p{L}\p{N}]/u

/** Some producers leave no gap beside a Latin word or a number in a line of Arabic or Hebrew. */
const isChangeOfDirection = (before: string, after: string): boolean => {
  const [end, start] = [wordEnd.exec(before.slice(-2))?.[0], wordStart.exec(after)?.[0]]
  if (end === undefined || start === undefined) return false
  return directionOfRun(end) !== directionOfRun(start)
}

/** A raised number after a word; after a shorter one it may be a unit, such as `cm2`. */
const isFootnoteMark = (before: TextRun, after: TextRun): boolean =>
  after.size < 0.85 * before.size &&
  after.baseline > before.baseline + 0.15 * before.size &&
  /^\d/.test(after.text) &&
  /\p{L}{3}[^\p{L}\p{N}]{0,2}$/u.test(before.text.slice(-5))

const separatorBetween = (before: TextRun, after: TextRun): string => {
  const gap = Math.max(before.start, after.start) - Math.min(before.end, after.end)
  const relative = gap / after.size
  if (relative < maxIdeographGap && areIdeographs(before.text, after.text)) return ""
  const isSpaced = before.endsSpaced || after.startsSpaced || relative > minWordGap
  if (isSpaced || isFootnoteMark(before, after)) return " "
  return isChangeOfDirection(before.text, after.text) ? " " : ""
}

/** Joins runs in reading order. */
const joinRuns = (runs: readonly TextRun[]): TextRun => {
  const [first, ...rest] = runs
  if (!first) throw new Error("There is no text to join")
  const joined = { ...first }
  const parts = [first.text]
  let last = first
  for (const run of rest) {
    parts.push(separatorBetween(last, run), run.text)
    joined.start = Math.min(joined.start, run.start)
    joined.end = Math.max(joined.end, run.end)
    last = run
  }
  return { ...joined, text: parts.join(""), endsSpaced: last.endsSpaced }
}

/**
 * Groups the runs that are read against the line's direction, with the punctuation between them.
 * All other runs are groups of their own.
 */
const groupOpposite = (runs: readonly TextRun[], base: Direction): TextRun[][] => {
  const directions = runs.map(({ text }) => directionOfRun(text))
  const groups: TextRun[][] = []
  let opposite: TextRun[] = []
  let punctuation: TextRun[] = []
  const endGroup = (): void => {
    if (opposite.length > 0) groups.push(opposite)
    for (const run of punctuation) groups.push([run])
    opposite = []
    punctuation = []
  }
  for (const [index, run] of runs.entries()) {
    if (directions[index] === "neutral") {
      punctuation.push(run)
      continue
    }
    const isOpposite = directions[index] !== base
    if (!isOpposite || opposite.length === 0) endGroup()
    if (isOpposite) for (const each of [...punctuation.splice(0), run]) opposite.push(each)
    else groups.push([run])
  }
  endGroup()
  return groups
}

const inOrder = <Item>(items: readonly Item[], direction: Direction): readonly Item[] =>
  direction === "right-to-left" ? items.toReversed() : items

/** Joins runs that stand beside each other, given from left to right, in the order of reading. */
export const joinByDirection = (runs: readonly TextRun[], base: Direction): TextRun => {
  const opposite = base === "right-to-left" ? "left-to-right" : "right-to-left"
  const joined = groupOpposite(runs, base).map((group) => joinRuns(inOrder(group, opposite)))
  return joinRuns(inOrder(joined, base))
}

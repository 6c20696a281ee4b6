import type { Block } from "../blocks.ts"
import { HeadingTracker } from "../heading-tracker.ts"

/** Lines indented further are code or belong to a list. */
const maxIndentation = 3
const frontMatter = "---\n"

/** The line without indentation; "" if it is indented too far for markup. */
const unindented = (line: string): string => {
  const start = line.trimStart()
  return line.length - start.length <= maxIndentation ? start : ""
}

const countLeading = (sign: string, text: string): number => {
  let count = 0
  while (text[count] === sign) count++
  return count
}

/** The backticks or tildes that open or close a code fence. */
const codeFenceOf = (line: string): string | null => {
  const start = unindented(line)
  const count = Math.max(countLeading("`", start), countLeading("~", start))
  return count >= 3 ? start.slice(0, count) : null
}

/** An ATX heading without its closing sequence (CommonMark 0.31, §4.2). */
const headingOf = (line: string): { level: number; words: string } | null => {
  const start = unindented(line)
  const level = countLeading("#", start)
  const rest = start.slice(level)
  if (level < 1 || level > 6 || rest === rest.trimStart()) return null
  const text = rest.trim()
  let end = text.length
  while (text[end - 1] === "#") end--
  const closed = end === 0 || text.slice(0, end) !== text.slice(0, end).trimEnd()
  const heading = closed ? text.slice(0, end).trimEnd() : text
  return heading === "" ? null : { level, words: heading }
}

/** The level of a setext underline: 1 for `===`, 2 for `---`. */
const underlineOf = (line: string): 1 | 2 | null => {
  const marks = unindented(line).trimEnd()
  if (marks === "") return null
  if (countLeading("=", marks) === marks.length) return 1
  return countLeading("-", marks) === marks.length ? 2 : null
}

const withoutFrontMatter = (text: string): string => {
  const end = text.startsWith(frontMatter) ? text.indexOf(`\n${frontMatter}`) : -1
  return end < 0 ? text : text.slice(end + 1 + frontMatter.length)
}

/** Markdown: headings form the heading path; fenced code and tables are not split. */
export const readMarkdown = (text: string): Block[] => {
  const blocks: Block[] = []
  const headings = new HeadingTracker()
  const lines = withoutFrontMatter(text).split(/\r?\n/)
  let buffered: string[] = []
  let codeBlockMarker: string | null = null

  const flush = (kind: Block["kind"] = "paragraph"): void => {
    if (buffered.some((line) => line.trim() !== "")) {
      blocks.push({ text: buffered.join("\n"), kind, location: headings.path() })
    }
    buffered = []
  }
  const enter = (level: number, words: string, source: string): void => {
    flush()
    headings.enter(level, words)
    blocks.push({ text: source, kind: "heading", location: headings.path() })
  }
  const isUnderlined = (line: string): boolean => {
    const [only = ""] = buffered
    if (buffered.length !== 1 || only.trim() === "") return false
    const level = underlineOf(line)
    if (level === null) return false
    buffered = []
    enter(level, only.trim(), only)
    return true
  }
  const addLine = (line: string): void => {
    const heading = headingOf(line)
    if (heading) enter(heading.level, heading.words, line)
    else if (line.trim() === "") flush()
    else if (!isUnderlined(line)) buffered.push(line)
  }

  for (const line of lines) {
    const mark = codeFenceOf(line)
    if (codeBlockMarker !== null) {
      buffered.push(line)
      if (mark?.startsWith(codeBlockMarker)) {
        flush("code")
        codeBlockMarker = null
      }
    } else if (mark) {
      flush()
      codeBlockMarker = mark
      buffered.push(line)
    } else addLine(line)
  }
  flush(codeBlockMarker === null ? "paragraph" : "code")
  return blocks
}

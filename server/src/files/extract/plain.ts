import { type Block, createHeadings } from "./blocks.ts"

const paragraphsOf = (text: string): string[] => text.split(/\n[ \t]*\n+/)

/** Text without any marks: blank lines part its paragraphs. */
export const readPlain = (text: string): Block[] =>
  paragraphsOf(text).map((paragraph) => ({ text: paragraph, kind: "paragraph", place: {} }))

const fence = /^\s{0,3}(```+|~~~+)/
const hashes = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const underline = /^\s{0,3}(=+|-+)\s*$/

/** Markdown: headings give the path; fenced code and tables stay in one piece. */
export const readMarkdown = (text: string): Block[] => {
  const blocks: Block[] = []
  const headings = createHeadings()
  const lines = text.replace(/^---\n[\s\S]*?\n---\n/, "").split(/\r?\n/)
  let held: string[] = []
  let fenced: string | null = null

  const flush = (kind: Block["kind"] = "paragraph"): void => {
    if (held.some((line) => line.trim() !== "")) {
      blocks.push({ text: held.join("\n"), kind, place: headings.path() })
    }
    held = []
  }
  const heading = (level: number, words: string, source: string): void => {
    flush()
    headings.enter(level, words)
    blocks.push({ text: source, kind: "heading", place: headings.path() })
  }
  const underlined = (line: string): boolean => {
    const under = underline.exec(line)?.[1]
    const [only = ""] = held
    if (!under || held.length !== 1 || only.trim() === "") return false
    held = []
    heading(under.startsWith("=") ? 1 : 2, only.trim(), only)
    return true
  }
  const plainLine = (line: string): void => {
    const [, marks = "", words = ""] = hashes.exec(line) ?? []
    if (marks && words) heading(marks.length, words, line)
    else if (line.trim() === "") flush()
    else if (!underlined(line)) held.push(line)
  }

  for (const line of lines) {
    const mark = fence.exec(line)?.[1]
    if (fenced !== null) {
      held.push(line)
      if (mark?.startsWith(fenced)) {
        flush("code")
        fenced = null
      }
    } else if (mark) {
      flush()
      fenced = mark
      held.push(line)
    } else plainLine(line)
  }
  flush(fenced === null ? "paragraph" : "code")
  return blocks
}

/** Source code: cut at blank lines, so that functions tend to stay whole. */
export const readCode = (text: string): Block[] =>
  paragraphsOf(text).map((piece) => ({ text: piece, kind: "code", place: {} }))

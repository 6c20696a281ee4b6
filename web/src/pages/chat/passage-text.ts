const markdownName = /\.(?:md|markdown|mdx)$/i

/** Characters; more do not fit into two lines. */
const maxBeginningLength = 300
/** Characters that a beginning is taken from, including Markdown's marks. */
const maxReadLength = 1000

/** "| 06:00 | 6.9 m |" becomes "06:00 · 6.9 m". */
const joinCells = (row: string): string =>
  row
    .trim()
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
    .join(" · ")

const withoutMarks = (markdown: string): string =>
  markdown
    .replace(/^[ \t]*(?:```|~~~).*\n?/gm, "")
    .replace(/^[ \t]*\|[|: \t-]+$\n?/gm, "")
    .replace(/^[ \t]*\|.*\|$/gm, joinCells)
    .replace(/^[ \t]*#{1,6}[ \t]+/gm, "")
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, "")
    .replace(/^([ \t]*)[-*+][ \t]+/gm, "$1• ")
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, "$1")
    .replace(/\*\*|~~/g, "")
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, "")
    .replace(/`([^`\n]+)`/g, "$1")

/** A piece of a file's text; that of a Markdown file without its marks, line by line. */
export const stripMarkdown = (text: string, fileName: string): string =>
  markdownName.test(fileName) ? withoutMarks(text) : text

/** The source's location names the headings before the text. */
const withoutLeadingHeadings = (markdown: string): string => {
  const lines = markdown.split("\n")
  const first = lines.findIndex((line) => line.trim() !== "" && !/^#{1,6}[ \t]/.test(line))
  return first > 0 ? lines.slice(first).join("\n") : markdown
}

/** How a passage of a file begins. */
export const passageSnippet = (passage: string, fileName: string): string => {
  const piece = passage.slice(0, maxReadLength)
  const body = markdownName.test(fileName) ? withoutLeadingHeadings(piece) : piece
  return stripMarkdown(body, fileName).trim().slice(0, maxBeginningLength)
}

import { foldCase } from "../../db/fold-case.ts"

/** Characters before the match: few, so that it is visible even in a narrow column. */
const maxLead = 30
const maxLength = 140
/** How much text around the match is read as Markdown. */
const contextLength = 600

interface TextRange {
  start: number
  end: number
}

/** A character with its combining marks, which folding may merge. */
const cluster = /\P{M}\p{M}*|\p{M}+/gu

/** The first occurrence of `searchText` in `text`, ignoring case, as offsets in `text`. */
const findFolded = (text: string, searchText: string): TextRange | null => {
  const folded = foldCase(text)
  const wanted = foldCase(searchText)
  const at = folded.indexOf(wanted)
  if (at < 0) return null
  if (folded.length === text.length) return { start: at, end: at + wanted.length }
  let foldedLength = 0
  let start = 0
  for (const match of text.matchAll(cluster)) {
    if (foldedLength <= at) start = match.index
    foldedLength += foldCase(match[0]).length
    if (foldedLength >= at + wanted.length) return { start, end: match.index + match[0].length }
  }
  return { start, end: text.length }
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The text of a piece of Markdown as a reader sees it, on one line. */
export const stripMarkdown = (markdown: string): string =>
  toOneLine(
    markdown
      .replace(/^[ \t]*(?:```|~~~).*$/gm, " ")
      .replace(/^[ \t]*[|:-][|: -]*$/gm, " ")
      .replace(/^[ \t]*#{1,6}[ \t]/gm, "")
      .replace(/^[ \t]*(?:>[ \t]?)+/gm, "")
      .replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t])?/gm, "")
      .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, "$1")
      .replace(/\*\*|__|~~|\$\$|[`|]/g, "")
      .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, "")
      .replace(/(?<![\p{L}\p{N}_])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}_])/gu, "")
      .replace(/\\([\\`*_{}[\]()#+.!|~>-])/g, "$1"),
  )

/** Moves a cut to the nearest space inside, unless that is far away. */
const snapToSpace = (text: string, { start, end }: TextRange, match: TextRange): TextRange => {
  const after = text.indexOf(" ", start)
  const before = text.lastIndexOf(" ", end)
  return {
    start: start > 0 && after >= 0 && after < match.start ? after + 1 : start,
    end: end < text.length && before > match.end ? before : end,
  }
}

/** The text around the first match of `searchText`, on one line and without Markdown. */
export const createSearchSnippet = (content: string, searchText: string): string => {
  const found = findFolded(content, searchText) ?? { start: 0, end: 0 }
  const from = Math.max(0, found.start - contextLength)
  const to = Math.min(content.length, found.end + contextLength)
  const piece = content.slice(from, to)
  const plain = stripMarkdown(piece)
  const wanted = toOneLine(searchText)
  // The match may include markup, such as the address of a link.
  const text = findFolded(plain, wanted) ? plain : toOneLine(piece)
  const match = findFolded(text, wanted) ?? { start: 0, end: 0 }
  const start = Math.max(0, match.start - maxLead)
  const end = Math.min(text.length, Math.max(start + maxLength, match.end))
  const shown = snapToSpace(text, { start, end }, match)
  const head = shown.start > 0 || from > 0 ? "…" : ""
  const tail = shown.end < text.length || to < content.length ? "…" : ""
  return `${head}${text.slice(shown.start, shown.end)}${tail}`.toWellFormed()
}

import { toSpokenText } from "./spoken-text.ts"

/** Characters; more do not fit into two lines. */
const maxLength = 300
/** Characters that are read as Markdown, including its marks. */
const maxReadLength = 1000

/** The headings before the text; the source's location names them. */
const leadingHeadings = /^(?:\s*#{1,6}[ \t].*\n)+(?=\s*\S)/

/** How a passage begins, without Markdown. */
export const beginningOf = (passage: string): string => {
  const piece = passage.slice(0, maxReadLength)
  const text = toSpokenText(piece.replace(leadingHeadings, "")).trim()
  return (text || piece).slice(0, maxLength)
}

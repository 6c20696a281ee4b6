import { createElement, type ReactNode } from "react"

/**
 * Marks on one character, joiners, and skin tones; more than any script needs (UAX #15 regards 30
 * as enough). A browser positions each by all others, which takes a time that is quadratic.
 */
const maxMarks = 50
const excessMarks =
  /([\p{M}\p{Emoji_Modifier}\u200c\u200d]{50})[\p{M}\p{Emoji_Modifier}\u200c\u200d]+/gu

/** Characters. Where letters depend on their neighbors, a browser shapes a word again for each line. */
const maxWordLength = 500
const wordPieces = /\S{500}\p{M}*(?=\S)/gu

/** A text without the marks that are too many; what is copied or saved keeps them. */
export const withoutExcessMarks = (text: string): string =>
  text.length <= maxMarks ? text : text.replace(excessMarks, "$1")

/** Puts break opportunities into words that are too long to be drawn in time. */
const withBreaks = (text: string): ReactNode => {
  if (text.length <= maxWordLength) return text
  const parts: ReactNode[] = []
  let start = 0
  for (const { index, 0: piece } of text.matchAll(wordPieces)) {
    const end = index + piece.length
    parts.push(text.slice(start, end), createElement("wbr", { key: end }))
    start = end
  }
  return start === 0 ? text : [...parts, text.slice(start)]
}

/** A text that a browser draws in a time proportional to its length. */
export const drawableText = (text: string): ReactNode => withBreaks(withoutExcessMarks(text))

/** Applies a function to the texts among an element's children; the same children if none changes. */
export const mapTexts = (children: ReactNode, map: (text: string) => ReactNode): ReactNode => {
  if (typeof children === "string") return map(children)
  if (!Array.isArray(children)) return children
  const mapped = children.map((child: ReactNode) => mapTexts(child, map))
  return mapped.every((child, index) => child === children[index]) ? children : mapped
}

import { createElement, type ReactNode } from "react"

/**
 * Marks on one character, joiners, and skin tones; more than any script needs (UAX #15 regards 30
 * as enough). A browser positions each by all others, which takes a time that is quadratic.
 */
const maxMarks = 50
const marks = /[\p{M}\p{Emoji_Modifier}\u200c\u200d]+/gu

/** Characters. Where letters depend on their neighbors, a browser shapes a word again for each line. */
const maxWordLength = 500
const continuation = /[\p{M}\udc00-\udfff]/u

/** A text without the marks that are too many; what is copied or saved keeps them. */
export const removeExcessMarks = (text: string): string =>
  text.length <= maxMarks
    ? text
    : text.replace(marks, (run) =>
        run.length <= maxMarks ? run : [...run].slice(0, maxMarks).join(""),
      )

/** Puts break opportunities into words that are too long to be drawn in time. */
const withBreaks = (text: string): ReactNode => {
  if (text.length <= maxWordLength) return text
  const parts: ReactNode[] = []
  let start = 0
  for (const { index, 0: word } of text.matchAll(/\S+/g)) {
    for (let at = maxWordLength; at < word.length; at += maxWordLength) {
      while (continuation.test(word.charAt(at))) at += 1
      parts.push(text.slice(start, index + at), createElement("wbr", { key: index + at }))
      start = index + at
    }
  }
  return start === 0 ? text : [...parts, text.slice(start)]
}

/** A text that a browser draws in a time proportional to its length. */
export const limitDrawingCost = (text: string): ReactNode => withBreaks(removeExcessMarks(text))

/** Applies a function to the texts among an element's children; the same children if none changes. */
export const mapTextChildren = (
  children: ReactNode,
  map: (text: string) => ReactNode,
): ReactNode => {
  if (typeof children === "string") return map(children)
  if (!Array.isArray(children)) return children
  const mapped = children.map((child: ReactNode) => mapTextChildren(child, map))
  return mapped.every((child, index) => child === children[index]) ? children : mapped
}

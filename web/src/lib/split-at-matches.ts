/** A piece of a text, and whether it matches what was searched for. */
export interface TextPiece {
  text: string
  isMatch: boolean
  /** Its offset in the text. */
  start: number
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** Splits a text at the occurrences of `query`, ignoring case. */
export const splitAtMatches = (text: string, query: string): TextPiece[] => {
  const wanted = query.normalize("NFC").trim()
  const whole = text.normalize("NFC")
  if (wanted === "") return [{ text: whole, isMatch: false, start: 0 }]
  const pattern = wanted.split(/\s+/).map(escapePattern).join("\\s+")
  const pieces: TextPiece[] = []
  let start = 0
  const add = (end: number, isMatch: boolean): void => {
    if (end > start) pieces.push({ text: whole.slice(start, end), isMatch, start })
    start = end
  }
  for (const { index, 0: found } of whole.matchAll(new RegExp(pattern, "giu"))) {
    add(index, false)
    add(index + found.length, true)
  }
  add(whole.length, false)
  return pieces
}

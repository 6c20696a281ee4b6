import type { Place } from "../location.ts"

/** A unit of a document that is not split if possible: a paragraph, a heading, a row. */
export interface Block {
  text: string
  kind: "heading" | "paragraph" | "row" | "code"
  place: Place
}

export interface Extracted {
  blocks: Block[]
  format: string
  pages?: number
}

/** A document that cannot be read; the message is for its uploader. */
export class Unreadable extends Error {
  override name = "Unreadable"
}

/** @throws {UnreadableDocument} always */
export const unreadable = (message: string): never => {
  throw new Unreadable(message)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * Text that every database can store: no control characters, no lone surrogates, `\n` line ends.
 */
export const clean = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(controls, "").toWellFormed()

/** Tracks the heading path while a document is read top to bottom. */
export const createHeadings = () => {
  const stack: { level: number; text: string }[] = []
  return {
    enter: (level: number, text: string): void => {
      while ((stack.at(-1)?.level ?? 0) >= level) stack.pop()
      stack.push({ level, text: text.slice(0, 200) })
    },
    path: (): { heading?: string[] } =>
      stack.length > 0 ? { heading: stack.map(({ text }) => text) } : {},
  }
}

import type { PassageLocation } from "../location.ts"

/** A unit of a document that is not split if possible: a paragraph, a heading, a row. */
export interface Block {
  text: string
  kind: "heading" | "paragraph" | "row" | "code"
  place: PassageLocation
}

export interface ExtractedBlocks {
  blocks: Block[]
  format: string
  pages?: number
}

/** A document that cannot be read; the message is for its uploader. */
export class UnreadableDocument extends Error {
  override name = "Unreadable"
}

/** @throws {UnreadableDocument} always */
export const failUnreadable = (message: string): never => {
  throw new UnreadableDocument(message)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * Text that every database can store: no control characters, no lone surrogates, `\n` line ends.
 */
export const cleanText = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(controlCharacters, "").toWellFormed()

/** Tracks the heading path while a document is read top to bottom. */
export const createHeadingTracker = () => {
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

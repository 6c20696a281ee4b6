import type { Block } from "../blocks.ts"

const paragraphsOf = (text: string): string[] => text.split(/\n[ \t]*\n+/)

/** Plain text; blank lines separate paragraphs. */
export const readPlainText = (text: string): Block[] =>
  paragraphsOf(text).map((paragraph) => ({ text: paragraph, kind: "paragraph", location: {} }))

/** Source code, split at blank lines so that functions tend to remain whole. */
export const readCode = (text: string): Block[] =>
  paragraphsOf(text).map((piece) => ({ text: piece, kind: "code", location: {} }))

import type { Block } from "../blocks.ts"

export interface Paragraph {
  text: string
  /** 0 for body text. */
  headingLevel: number
  number: string
  /** Notes, comments and text boxes, which follow it. */
  attached: Block[]
}

/** An element whose paragraphs belong together: a cell, a note, a comment. */
export interface Container {
  name: string
  attributes: Record<string, string>
  paragraphs: Paragraph[]
  blocks: Block[]
  /** Number of a note, or author of a comment. */
  label: string
}

export const newContainer = (name: string, attributes: Record<string, string>): Container => ({
  name,
  attributes,
  paragraphs: [],
  blocks: [],
  label: "",
})

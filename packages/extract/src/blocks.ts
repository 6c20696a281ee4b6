/** Location in a document; fields that do not apply are absent. */
export interface PassageLocation {
  /** 1-based. */
  page?: number | undefined
  /** 1-based. */
  slide?: number | undefined
  sheet?: string | undefined
  /** 1-based, including the header row. */
  row?: number | undefined
  /** Headings above it, outermost first. */
  heading?: string[] | undefined
}

/** A unit of a document that is not split if possible: a paragraph, a heading, a row. */
export interface Block {
  text: string
  kind: "heading" | "paragraph" | "row" | "code"
  /**
   * Short blocks of the same page, slide, sheet and headings form one passage; its location is that
   * of the first block, or of the last one if the first is a heading.
   */
  location: PassageLocation
}

export interface ExtractedBlocks {
  blocks: Block[]
  format: string
  pages?: number
}

export interface ExtractionLimits {
  /** Maximum characters of text. */
  characters: number
  /** Maximum decompressed size, in bytes. */
  unpacked: number
  pages: number
  passages: number
}

/** Markers that show whether a kind of stream is complete. */
export interface StreamEndMarkers {
  /** Terminators at the beginning of a line. */
  terminatorLines: readonly Buffer[]
  /** Terminators anywhere, including their quotes: inside a text these would be escaped. */
  terminatorMembers: readonly Buffer[]
  /** Added if the upstream finished but left it out; null if nothing may be added. */
  missingTerminator: string | null
  /** How a content chunk begins. */
  contentStarts: readonly Buffer[]
  /** Any of these in the last chunk means that the answer itself is complete. */
  finishReasons: readonly Buffer[]
  /** How an error begins, at the beginning of a line. */
  errorLines: readonly Buffer[]
}

export const buffers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text))

/** Lines of events whose data begins with this text. */
export const dataLines = (start: string): Buffer[] => buffers(`data: ${start}`, `data:${start}`)

export const doneLines = dataLines("[DONE]")

import type { AnswerSource } from "./citations.ts"

/** A source with its citation number; `source` is null if the reader has no access to the file. */
export interface NumberedSource {
  number: number
  source: AnswerSource | null
}

export interface SourcesByCitation {
  cited: NumberedSource[]
  /** Sent to the model but not cited, as far as the reader may know. */
  others: NumberedSource[]
}

export const splitByCitation = (sources: readonly (AnswerSource | null)[]): SourcesByCitation => {
  const numbered = sources.map((source, index) => ({ number: index + 1, source }))
  return {
    cited: numbered.filter(({ source }) => source?.cited === true),
    others: numbered.filter(({ source }) => source?.cited !== true),
  }
}

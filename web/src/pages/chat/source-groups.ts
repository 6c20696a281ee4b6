import type { Source } from "./citations.ts"

/** A source with the number that it is cited as; null for a file that the reader may not read. */
export interface NumberedSource {
  number: number
  source: Source | null
}

export interface SourceGroups {
  cited: NumberedSource[]
  /** Given to the model, and not cited as far as the reader may know. */
  others: NumberedSource[]
}

export const groupSources = (sources: readonly (Source | null)[]): SourceGroups => {
  const numbered = sources.map((source, index) => ({ number: index + 1, source }))
  return {
    cited: numbered.filter(({ source }) => source?.cited === true),
    others: numbered.filter(({ source }) => source?.cited !== true),
  }
}

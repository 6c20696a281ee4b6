/** A file of a collection. The same object in several sets is uploaded once. */
export interface SourceFile {
  name: string
  text: string
}

export interface GoldPassage {
  file: SourceFile
  /** UTF-16 offsets in the file's text; null where any passage of the file is right. */
  range: { start: number; end: number } | null
}

export interface Question {
  text: string
  /** The question before it in the conversation. */
  previous?: string
  /** Null where no file has the answer. */
  gold: GoldPassage | null
}

/** What a set must reach. */
export interface Targets {
  /** Context recall with semantic search. */
  recall?: number
  /** nDCG@10 of lexical search. */
  lexicalNdcg?: number
}

export interface QuestionSet {
  name: string
  files: readonly SourceFile[]
  questions: readonly Question[]
  targets: Targets
}

/** Beside files that have nothing to do with it; the whole would no longer fit the token budget. */
export const addDistractor = (
  set: QuestionSet,
  distractor: SourceFile,
  targets: Targets = {},
): QuestionSet => ({
  ...set,
  name: `${set.name}, beside the manual`,
  files: [...set.files, distractor],
  targets,
})

/** So many items, evenly spaced. */
export const sample = <T>(items: readonly T[], count: number): T[] => {
  const step = Math.max(1, items.length / count)
  return items.filter(
    (_item, index) => index === 0 || Math.floor(index / step) !== Math.floor((index - 1) / step),
  )
}

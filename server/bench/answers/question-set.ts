/** A file of a collection. The same object in several sets is uploaded once. */
export interface SourceFile {
  name: string
  text: string
  /** The date that the document states, such as 2024-03-01; without one, it is plain text. */
  date?: string | undefined
  /** Uploaded after the others, because it replaces one of them. */
  isLater?: boolean | undefined
  /** A newer version of the file exists. */
  isOlder?: boolean | undefined
}

export interface GoldPassage {
  file: SourceFile
  /** UTF-16 offsets in the file's text; null if any passage of the file is relevant. */
  range: { start: number; end: number } | null
}

export interface Question {
  text: string
  /** The preceding question in the conversation. */
  previous?: string
  /** Null if no file contains the answer. */
  gold: GoldPassage | null
  /** The same statement in earlier versions of the file. */
  outdated?: readonly GoldPassage[] | undefined
}

/** Minimum scores of a set. */
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

/** Adds an unrelated file, so that the set no longer fits into the context budget as a whole. */
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

/** Picks `count` items, evenly spaced. */
export const sample = <T>(items: readonly T[], count: number): T[] => {
  const step = Math.max(1, items.length / count)
  return items.filter(
    (_item, index) => index === 0 || Math.floor(index / step) !== Math.floor((index - 1) / step),
  )
}

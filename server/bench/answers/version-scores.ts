import type { CollectionSearchResult, FoundPassage } from "../../src/knowledge/schema.ts"
import type { Question, SourceFile } from "./question-set.ts"
import { isGold } from "./scores.ts"

/** What a model is given of the versions of one statement. */
export interface VersionOutcome {
  isNewestGiven: boolean
  /** The newest version is given, and before every earlier one. */
  isNewestFirst: boolean
  /** Statements of earlier versions that are given. */
  outdated: number
  /** Those of them that are marked as older. */
  marked: number
  /** Passages that are marked as older although they are not outdated. */
  wronglyMarked: number
}

export interface VersionScores {
  questions: number
  newestGiven: number
  newestFirst: number
  outdated: number
  marked: number
  wronglyMarked: number
}

const isMarkedOlder = (passage: FoundPassage): boolean => (passage.version?.position ?? 1) > 1

export const judgeVersions = (
  { passages }: CollectionSearchResult,
  { gold, outdated = [] }: Question,
  fileIds: ReadonlyMap<SourceFile, string>,
): VersionOutcome => {
  const used = passages.filter((passage) => passage.used)
  const isStatement = (passage: FoundPassage, one: typeof gold): boolean =>
    one !== null && isGold(passage, one, fileIds.get(one.file) ?? "")
  const isOutdated = (passage: FoundPassage): boolean =>
    outdated.some((one) => isStatement(passage, one))

  const newestAt = used.findIndex((passage) => isStatement(passage, gold))
  const outdatedAt = used.findIndex(isOutdated)
  const olderIds = new Set([...fileIds].flatMap(([file, id]) => (file.isOlder ? [id] : [])))
  const wrong = used.filter((one) => isMarkedOlder(one) && !olderIds.has(one.file_id))
  return {
    isNewestGiven: newestAt >= 0,
    isNewestFirst: newestAt >= 0 && (outdatedAt < 0 || newestAt < outdatedAt),
    outdated: used.filter(isOutdated).length,
    marked: used.filter((passage) => isOutdated(passage) && isMarkedOlder(passage)).length,
    wronglyMarked: wrong.length,
  }
}

export const summarizeVersions = (outcomes: readonly VersionOutcome[]): VersionScores => {
  const sum = (figureOf: (outcome: VersionOutcome) => number): number =>
    outcomes.reduce((total, outcome) => total + figureOf(outcome), 0)
  const share = (isTrue: (outcome: VersionOutcome) => boolean): number =>
    outcomes.filter(isTrue).length / outcomes.length
  return {
    questions: outcomes.length,
    newestGiven: share(({ isNewestGiven }) => isNewestGiven),
    newestFirst: share(({ isNewestFirst }) => isNewestFirst),
    outdated: sum(({ outdated }) => outdated),
    marked: sum(({ marked }) => marked),
    wronglyMarked: sum(({ wronglyMarked }) => wronglyMarked),
  }
}

import type { CollectionSearchResult } from "../../src/knowledge/schema.ts"
import { type AnswersGateway, type CollectionSettings, forEachConcurrently } from "./gateway.ts"
import type { QuestionSet, SourceFile } from "./question-set.ts"
import type { Rewrites } from "./rewrites.ts"
import { judge, type Outcome, type Scores, summarize } from "./scores.ts"
import {
  judgeVersions,
  summarizeVersions,
  type VersionOutcome,
  type VersionScores,
} from "./version-scores.ts"

/** The scores of one set on one database. */
export interface SetScores {
  hybrid: Scores
  lexical: Scores
  /** Hybrid search with rewritten questions; undefined if no rewrites of the set are recorded. */
  rewritten: Scores | undefined
}

/** A gateway with indexed files. */
export interface Run {
  gateway: AnswersGateway
  fileIds: ReadonlyMap<SourceFile, string>
  rewrites: Rewrites
  /** Receives the questions whose gold passage does not reach the prompt. */
  reportMissed?: ((line: string) => void) | undefined
}

export const idsOf = (files: readonly SourceFile[], fileIds: Run["fileIds"]): string[] =>
  files.flatMap((file) => fileIds.get(file) ?? [])

/** Fails if a search fell back to another one, as it silently does if a model fails. */
const checkSearch = (
  { search, note, rewriting }: CollectionSearchResult,
  settings: CollectionSettings,
  question: string,
): void => {
  if (search !== settings.search) throw new Error(`"${question}": ${note}`)
  const expected = settings.query_rewriting === "on" ? "used" : "off"
  if (rewriting?.outcome !== expected) {
    throw new Error(`"${question}": rewriting is ${rewriting?.outcome}, not ${expected}`)
  }
}

const measureSet = async (
  { gateway, fileIds, reportMissed }: Run,
  { name, files, questions }: QuestionSet,
  settings: CollectionSettings,
): Promise<Scores> => {
  const collection = await gateway.createCollection(name, settings, idsOf(files, fileIds))
  const mode = settings.query_rewriting === "on" ? "rewritten" : settings.search
  const outcomes: Outcome[] = []
  await forEachConcurrently(questions, async (question) => {
    const findings = await gateway.query(collection, question)
    checkSearch(findings, settings, question.text)
    const goldId = question.gold ? (fileIds.get(question.gold.file) ?? "") : ""
    const outcome = judge(findings, question.gold, goldId)
    outcomes.push(outcome)
    if (outcome.recalled === false && mode !== "lexical") {
      const { file } = question.gold ?? {}
      reportMissed?.(`${name}, ${mode}: ${question.text} (${file?.name}, rank ${outcome.rank})`)
    }
  })
  return summarize(outcomes)
}

/** Asks the questions of a set in each mode of search. */
export const measureSetInEachMode = async (run: Run, set: QuestionSet): Promise<SetScores> => {
  const hasRewrites = set.questions.every(({ text }) => run.rewrites.has(text))
  return {
    hybrid: await measureSet(run, set, { search: "hybrid", query_rewriting: "off" }),
    lexical: await measureSet(run, set, { search: "lexical", query_rewriting: "off" }),
    rewritten: hasRewrites
      ? await measureSet(run, set, { search: "hybrid", query_rewriting: "on" })
      : undefined,
  }
}

export const measureVersions = async (
  { gateway, fileIds, reportMissed }: Run,
  { name, files, questions }: QuestionSet,
): Promise<VersionScores> => {
  const settings: CollectionSettings = { search: "hybrid", query_rewriting: "off" }
  const collection = await gateway.createCollection(name, settings, idsOf(files, fileIds))
  const outcomes: VersionOutcome[] = []
  await forEachConcurrently(questions, async (question) => {
    const findings = await gateway.query(collection, question)
    const outcome = judgeVersions(findings, question, fileIds)
    outcomes.push(outcome)
    if (!outcome.isNewestFirst) reportMissed?.(`${name}: ${question.text} (not the newest first)`)
  })
  return summarizeVersions(outcomes)
}

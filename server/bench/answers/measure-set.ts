import type { CollectionSearchResult } from "../../src/knowledge/schema.ts"
import {
  type AnswersGateway,
  type CollectionSettings,
  forEachConcurrently,
  plainSettings,
} from "./gateway.ts"
import type { Question, QuestionSet, SourceFile } from "./question-set.ts"
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

/** Searches for each question of a set in a collection of its files. */
const askQuestions = async (
  { gateway, fileIds }: Run,
  { name, files, questions }: QuestionSet,
  settings: CollectionSettings,
  onFindings: (question: Question, findings: CollectionSearchResult) => void,
): Promise<void> => {
  const collection = await gateway.createCollection(name, settings, idsOf(files, fileIds))
  await forEachConcurrently(questions, async (question) => {
    const findings = await gateway.query(collection, question)
    checkSearch(findings, settings, question.text)
    onFindings(question, findings)
  })
}

const measureSet = async (
  run: Run,
  set: QuestionSet,
  settings: CollectionSettings,
): Promise<Scores> => {
  const mode = settings.query_rewriting === "on" ? "rewritten" : settings.search
  const outcomes: Outcome[] = []
  await askQuestions(run, set, settings, ({ text, gold }, findings) => {
    const goldId = gold ? (run.fileIds.get(gold.file) ?? "") : ""
    const outcome = judge(findings, gold, goldId)
    outcomes.push(outcome)
    if (outcome.recalled === false && mode !== "lexical") {
      run.reportMissed?.(`${set.name}, ${mode}: ${text} (${gold?.file.name}, rank ${outcome.rank})`)
    }
  })
  return summarize(outcomes)
}

/** Asks the questions of a set in each mode of search. */
export const measureSetInEachMode = async (run: Run, set: QuestionSet): Promise<SetScores> => {
  const hasRewrites = set.questions.every(({ text }) => run.rewrites.has(text))
  return {
    hybrid: await measureSet(run, set, plainSettings),
    lexical: await measureSet(run, set, { ...plainSettings, search: "lexical" }),
    rewritten: hasRewrites
      ? await measureSet(run, set, { ...plainSettings, query_rewriting: "on" })
      : undefined,
  }
}

export const measureVersions = async (run: Run, set: QuestionSet): Promise<VersionScores> => {
  const outcomes: VersionOutcome[] = []
  await askQuestions(run, set, plainSettings, (question, findings) => {
    const outcome = judgeVersions(findings, question, run.fileIds)
    outcomes.push(outcome)
    if (!outcome.isNewestFirst) {
      run.reportMissed?.(`${set.name}: ${question.text} (not the newest first)`)
    }
  })
  return summarizeVersions(outcomes)
}

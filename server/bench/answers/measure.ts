import { type AnswersGateway, forEachConcurrently, startAnswersGateway } from "./gateway.ts"
import type { QuestionSet, SourceFile } from "./question-set.ts"
import { judge, type Outcome, type Scores, summarize } from "./scores.ts"

export type SearchMode = "hybrid" | "lexical"

/** The scores of one set on one database. */
export type SetScores = Record<SearchMode, Scores>

interface Run {
  gateway: AnswersGateway
  fileIds: ReadonlyMap<SourceFile, string>
  /** Receives the questions whose gold passage does not reach the prompt. */
  reportMissed?: ((line: string) => void) | undefined
}

const idsOf = (files: readonly SourceFile[], fileIds: Run["fileIds"]): string[] =>
  files.flatMap((file) => fileIds.get(file) ?? [])

const measureSet = async (
  { gateway, fileIds, reportMissed }: Run,
  { name, files, questions }: QuestionSet,
  mode: SearchMode,
): Promise<Scores> => {
  const collection = await gateway.createCollection(name, mode, idsOf(files, fileIds))
  const outcomes: Outcome[] = []
  await forEachConcurrently(questions, async (question) => {
    const findings = await gateway.query(collection, question)
    // If embedding the question fails, the search silently falls back to lexical.
    if (findings.search !== mode) throw new Error(`"${question.text}": ${findings.note}`)
    const goldId = question.gold ? (fileIds.get(question.gold.file) ?? "") : ""
    const outcome = judge(findings, question.gold, goldId)
    outcomes.push(outcome)
    if (outcome.recalled === false && mode === "hybrid") {
      const { file } = question.gold ?? {}
      reportMissed?.(`${name}: ${question.text} (${file?.name}, rank ${outcome.rank})`)
    }
  })
  return summarize(outcomes)
}

interface MeasuredDatabase {
  database: string
  databaseUrl?: string
  sets: readonly QuestionSet[]
  say: (line: string) => void
  reportMissed?: ((line: string) => void) | undefined
}

/** Runs all questions of all sets on one gateway. @returns scores by set name */
export const measureDatabase = async ({
  database,
  databaseUrl,
  sets,
  say,
  reportMissed,
}: MeasuredDatabase): Promise<Map<string, SetScores>> => {
  const start = performance.now()
  const sayTime = (step: string): void =>
    say(`${database}: ${step} after ${((performance.now() - start) / 1000).toFixed(0)} s`)
  const gateway = await startAnswersGateway(databaseUrl)
  try {
    const fileIds = await gateway.uploadAll(sets.flatMap(({ files }) => files))
    sayTime(`${fileIds.size} files uploaded`)
    const everything = await gateway.createCollection("All", "hybrid", [...fileIds.values()])
    await gateway.waitForIndex(everything)
    sayTime("all files indexed")
    const run = { gateway, fileIds, reportMissed }
    const scores = new Map<string, SetScores>()
    for (const set of sets) {
      const hybrid = await measureSet(run, set, "hybrid")
      scores.set(set.name, { hybrid, lexical: await measureSet(run, set, "lexical") })
    }
    sayTime("all questions answered")
    return scores
  } finally {
    await gateway.stop()
  }
}

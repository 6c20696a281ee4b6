import { storageFailureOf } from "../../db/outages.ts"
import { toError } from "../../errors.ts"
import { createQuestionJudge, SearchFailure } from "./judge-question.ts"
import { missed } from "./judge-selection.ts"
import { parseResult, type StoredQuestion } from "./question-store.ts"
import type { QuestionResult } from "./schema.ts"

/** Long runs give other owners' runs their turn after this time. */
const sliceMs = 2000
/** Results are stored, and pages show the progress, after so many questions. */
const questionsPerWrite = 10
/** After so many failures in a row, the search is expected to fail for all questions. */
const maxFailuresInARow = 5

export interface JudgedQuestion {
  question: StoredQuestion
  result: QuestionResult
}

interface Slice {
  run: { id: string }
  /** All questions of the collection. */
  all: readonly StoredQuestion[]
  write: (judged: readonly JudgedQuestion[]) => Promise<void>
  signal: AbortSignal
}

/** The questions that were not tried yet, or else those for which the search failed. */
const chooseRemaining = (all: readonly StoredQuestion[], runId: string) => {
  const untried = all.filter(({ pending_run_id }) => pending_run_id !== runId)
  const failed = all.filter((row) => parseResult(row.pending_result)?.reason === "error")
  const remaining = untried.length > 0 ? untried : failed
  remaining.sort((a, z) => (a.file_id ?? "").localeCompare(z.file_id ?? ""))
  return { remaining, areLast: untried.length === 0 }
}

const createFailures = () => {
  let last: SearchFailure | null = null
  let inARow = 0
  return {
    count: (failure: SearchFailure | null): void => {
      last = failure ?? last
      inARow = failure ? inARow + 1 : 0
    },
    last: (): SearchFailure | null => last,
    areTooMany: (): boolean => inARow >= maxFailuresInARow,
  }
}

/** @throws if it was aborted, or if the storage is unavailable */
const tryToJudge = async (
  judge: ReturnType<typeof createQuestionJudge>,
  question: StoredQuestion,
  { signal, now }: { signal: AbortSignal; now: () => number },
): Promise<{ result: QuestionResult; failure: SearchFailure | null }> => {
  try {
    return { result: await judge(question, signal), failure: null }
  } catch (error) {
    if (signal.aborted || storageFailureOf(toError(error))) throw error
    const failure = error instanceof SearchFailure ? error : new SearchFailure("internal")
    const result = { ...missed("error"), file_id: question.file_id, start: null, at: now() }
    return { result, failure }
  }
}

/**
 * Judges questions in the order of their files until all are judged, the slice ends, or the search
 * keeps failing.
 * @returns why the search fails; null if it succeeds, or if other questions can be tried first
 */
export const judgeSlice = async (
  deps: Parameters<typeof createQuestionJudge>[0],
  searched: Parameters<typeof createQuestionJudge>[1],
  { run, all, write, signal }: Slice,
): Promise<SearchFailure | null> => {
  const endsAt = performance.now() + sliceMs
  const judge = createQuestionJudge(deps, searched)
  const { remaining, areLast } = chooseRemaining(all, run.id)
  const failures = createFailures()
  let judged: JudgedQuestion[] = []
  for (const [at, question] of remaining.entries()) {
    signal.throwIfAborted()
    const { result, failure } = await tryToJudge(judge, question, { signal, now: deps.now })
    failures.count(failure)
    judged.push({ question, result })
    const isOver = performance.now() > endsAt || failures.areTooMany()
    const isEnd = at === remaining.length - 1 || isOver
    if (!isEnd && judged.length < questionsPerWrite) continue
    await write(judged)
    judged = []
    if (isEnd) break
  }
  return areLast || failures.areTooMany() ? failures.last() : null
}

import type { QuestionResult, QuestionState } from "./schema.ts"

/** What is stored of a question's results. */
export interface QuestionHistory {
  result: QuestionResult | null
  /** Of the run before, with other files or settings. */
  result_before: QuestionResult | null
  /** When its passage last reached the model; null if never. */
  reached_at: number | null
}

/**
 * Adds the result of a run to what is known of a question.
 * @param run `isRepeated`: the last one had the same files and settings, so that this one takes its
 * place; `isPartial`: some files were not ready
 */
export const addResult = (
  { result: last, result_before, reached_at }: QuestionHistory,
  result: QuestionResult,
  { isRepeated, isPartial }: { isRepeated: boolean; isPartial: boolean },
): QuestionHistory & { state: QuestionState } => {
  const isDecided = result.reason !== "error" && !isPartial
  const decidedState = reached_at === null ? "missed" : "lost"
  const missedState = isDecided ? decidedState : "undecided"
  return {
    result,
    result_before: isRepeated ? result_before : last,
    reached_at: result.reached ? result.at : reached_at,
    state: result.reached ? "reached" : missedState,
  }
}

/** The figures of a run. */
export const summarizeResults = (
  questions: readonly { result: QuestionResult; state: QuestionState }[],
) => {
  const ranks = questions.flatMap(({ result }) => result.rank ?? [])
  return {
    total: questions.length,
    reached: questions.filter(({ state }) => state === "reached").length,
    lost: questions.filter(({ state }) => state === "lost").length,
    mean_rank: ranks.length > 0 ? ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length : null,
  }
}

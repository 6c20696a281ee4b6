import { describe, expect, it } from "vitest"
import { addResult, summarizeResults } from "./compare-results.ts"
import type { QuestionResult } from "./schema.ts"

const reachedAt = (at: number, rank: number | null = 1): QuestionResult => ({
  ...{ reached: true, rank, reason: null, file_id: "f", start: 0, at },
})
const missedAt = (at: number): QuestionResult => ({
  ...{ reached: false, rank: 90, reason: "rank", file_id: "f", start: 0, at },
})
const once = { isRepeated: false, isPartial: false }
const never = { result: null, result_before: null, reached_at: null }

describe("the state of a question", () => {
  it("is missed until its passage reaches the model for the first time", () => {
    const first = addResult(never, missedAt(1), once)
    expect(first).toEqual({ ...never, result: missedAt(1), state: "missed" })
    const second = addResult(first, reachedAt(2), once)
    expect(second).toMatchObject({ state: "reached", reached_at: 2, result_before: missedAt(1) })
  })

  it("stays worse until the passage reaches the model again", () => {
    const before = addResult(never, reachedAt(1), once)
    const lost = addResult(before, missedAt(2), once)
    expect(lost).toMatchObject({ state: "lost", reached_at: 1 })
    const still = addResult(lost, missedAt(3), once)
    expect(still).toMatchObject({ state: "lost", reached_at: 1, result_before: missedAt(2) })
    expect(addResult(still, reachedAt(4), once)).toMatchObject({ state: "reached", reached_at: 4 })
  })

  it("is undecided if the search failed or files were not ready, and red only afterwards", () => {
    const reached = addResult(never, reachedAt(1), once)
    const partial = addResult(reached, missedAt(2), { isRepeated: false, isPartial: true })
    expect(partial).toMatchObject({ state: "undecided", reached_at: 1 })
    const failed = addResult(reached, { ...missedAt(2), reason: "error" }, once)
    expect(failed).toMatchObject({ state: "undecided", reached_at: 1 })
    expect(addResult(failed, missedAt(3), once)).toMatchObject({ state: "lost" })
  })

  it("keeps the earlier result if only the run is repeated", () => {
    const before = addResult(addResult(never, reachedAt(1), once), reachedAt(2, 5), once)
    expect(
      addResult(before, reachedAt(3, 5), { isRepeated: true, isPartial: false }).result_before,
    ).toEqual(reachedAt(1))
  })
})

describe("the figures of a run", () => {
  it("count questions, and average the ranks of those that were found", () => {
    const questions = [
      { state: "reached", result: reachedAt(1, 3) },
      { state: "reached", result: reachedAt(1, null) },
      { state: "lost", result: missedAt(1) },
    ] as const
    const figures = { total: 3, reached: 2, lost: 1, mean_rank: 46.5 }
    expect(summarizeResults(questions)).toEqual(figures)
    expect(summarizeResults([])).toEqual({ total: 0, reached: 0, lost: 0, mean_rank: null })
  })
})

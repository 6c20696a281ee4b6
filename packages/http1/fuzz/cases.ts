import { compareRequests } from "./requests.ts"
import { compareReplies } from "./responses.ts"

const parts = { replies: compareReplies, requests: compareRequests }
export type Part = keyof typeof parts
export const partNames: readonly Part[] = ["replies", "requests"]

export interface Outcome {
  /** Number of cases by verdict. */
  countByVerdict: Record<string, number>
  /** Cases in which the two parsers disagree; each message contains its seed. */
  differences: Error[]
}

const maxDifferences = 10

/** Runs `cases` comparisons with consecutive seeds; stops after ten differences. */
export const fuzz = async (part: Part, cases: number, seed: number): Promise<Outcome> => {
  const outcome: Outcome = { countByVerdict: {}, differences: [] }
  const { stackTraceLimit } = Error
  // Most cases are rejections, whose stack traces are never read.
  Error.stackTraceLimit = 0
  for (let at = 0; at < cases && outcome.differences.length < maxDifferences; at++) {
    try {
      const verdict = await parts[part](seed + at)
      outcome.countByVerdict[verdict] = (outcome.countByVerdict[verdict] ?? 0) + 1
    } catch (error) {
      outcome.differences.push(error instanceof Error ? error : new Error(String(error)))
    }
  }
  Error.stackTraceLimit = stackTraceLimit
  return outcome
}

import { createQuestionSets, type QuestionEditOptions } from "./question-sets.ts"
import { registerRunJob } from "./run-job.ts"
import { createRunStore } from "./run-store.ts"
import { type RunTriggerOptions, triggerRuns } from "./run-trigger.ts"
import { createFingerprintReader } from "./search-fingerprint.ts"

export type QuestionSetOptions = QuestionEditOptions & RunTriggerOptions

type Deps = Omit<
  Parameters<typeof createQuestionSets>[0] &
    Parameters<typeof registerRunJob>[0] &
    Parameters<typeof triggerRuns>[0] &
    Parameters<typeof createFingerprintReader>[0],
  "runs" | "readFingerprint"
>

/** Creates the question sets of collections, and what runs them. Call before jobs start. */
export const createQuestionSetParts = (deps: Deps) => {
  const runs = createRunStore(deps.db)
  const readFingerprint = createFingerprintReader(deps)
  const parts = { ...deps, runs, readFingerprint }
  registerRunJob(parts)
  triggerRuns(parts)
  return createQuestionSets(parts)
}

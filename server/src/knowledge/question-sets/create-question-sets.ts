import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Database } from "../../db/database.ts"
import type { FileStore } from "../../files/file-store.ts"
import type { SourceSelection } from "../citations/source-selection.ts"
import { createQuestionSets, type QuestionEditOptions } from "./question-sets.ts"
import type { QuestionStore } from "./question-store.ts"
import { registerRunJob } from "./run-job.ts"
import { createRunStore } from "./run-store.ts"
import { type RunTriggerOptions, triggerRuns } from "./run-trigger.ts"
import { createFingerprintReader, type SharedFingerprint } from "./search-fingerprint.ts"

type Parts = Omit<
  Parameters<typeof createQuestionSets>[0] &
    Parameters<typeof registerRunJob>[0] &
    Parameters<typeof triggerRuns>[0],
  "runs" | "readFingerprint"
>

export type QuestionSetOptions = QuestionEditOptions & RunTriggerOptions

interface Deps extends Parts, QuestionSetOptions {
  background: BackgroundTasks
  db: Database
  files: FileStore
  questions: QuestionStore
  selection: SourceSelection
  shared: () => SharedFingerprint
  isSemanticSearchEnabled: () => boolean
  isModelUsable: (model: string) => boolean
}

/** Creates the question sets of collections, and what runs them. Call before jobs start. */
export const createQuestionSetParts = (deps: Deps) => {
  const runs = createRunStore(deps.db)
  const readFingerprint = createFingerprintReader(deps)
  const parts = { ...deps, runs, readFingerprint }
  registerRunJob(parts)
  triggerRuns(parts)
  return createQuestionSets(parts)
}

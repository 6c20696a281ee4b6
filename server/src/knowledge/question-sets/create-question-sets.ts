import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Database } from "../../db/database.ts"
import type { FileStore } from "../../files/file-store.ts"
import type { SourceSelection } from "../citations/source-selection.ts"
import { registerQuestionRuns } from "./question-runner.ts"
import { createQuestionSets, type QuestionEditOptions } from "./question-sets.ts"
import type { QuestionStore } from "./question-store.ts"
import { type QuestionRunOptions, scheduleQuestionRuns } from "./run-scheduling.ts"
import { createRunStore } from "./run-store.ts"
import { createSearchStateReader, type SharedSearchState } from "./search-state.ts"

type Parts = Omit<
  Parameters<typeof createQuestionSets>[0] &
    Parameters<typeof registerQuestionRuns>[0] &
    Parameters<typeof scheduleQuestionRuns>[0],
  "runs" | "readSearchState"
>

export type QuestionSetOptions = QuestionEditOptions & QuestionRunOptions

interface Deps extends Parts, QuestionSetOptions {
  background: BackgroundTasks
  db: Database
  files: FileStore
  questions: QuestionStore
  selection: SourceSelection
  shared: () => SharedSearchState
}

/** Creates the question sets of collections, and what runs them. Call before jobs start. */
export const createQuestionSetParts = (deps: Deps) => {
  const runs = createRunStore(deps.db)
  const readSearchState = createSearchStateReader(deps)
  const parts = { ...deps, runs, readSearchState }
  registerQuestionRuns(parts)
  scheduleQuestionRuns(parts)
  return createQuestionSets(parts)
}

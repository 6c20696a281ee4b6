import type { Database } from "../../db/database.ts"
import { findJob } from "../../jobs/store.ts"
import type { Collection } from "../schema.ts"
import type { QuestionStore } from "./question-store.ts"
import { questionJobKind } from "./run-job.ts"
import { type RunStore, type StoredRun, toRun } from "./run-store.ts"
import { type QuestionSetStatus, RunError } from "./schema.ts"
import type { FingerprintReader } from "./search-fingerprint.ts"

interface Deps {
  db: Database
  questions: QuestionStore
  runs: RunStore
  readFingerprint: FingerprintReader
}

/** What a collection's page shows of its runs. */
export const createStatusReader = ({ db, questions, runs, readFingerprint }: Deps) => {
  const findStatus = async (
    collection: Collection,
    {
      unfinished,
      hasFilesInProgress,
    }: { unfinished: StoredRun | undefined; hasFilesInProgress: boolean },
  ): Promise<QuestionSetStatus["status"]> => {
    const job = await findJob(db.read, questionJobKind, collection.id)
    if (job && unfinished && unfinished.fingerprint !== null) return "running"
    if (hasFilesInProgress) return "waiting"
    // A job that is held without a run is about to end: nobody announces that it is gone.
    return job?.holder === null || unfinished ? "scheduled" : "idle"
  }

  return async (collection: Collection): Promise<QuestionSetStatus> => {
    const { id } = collection
    const [counts, unfinished, finished] = await Promise.all([
      questions.counts(id),
      runs.unfinished(id),
      runs.list(id),
    ])
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    if (total === 0)
      return { status: "idle", judged: 0, total, counts, error: null, runs: finished.map(toRun) }
    const { hasFilesInProgress, isModelUsable } = await readFingerprint(collection)
    const status = await findStatus(collection, { unfinished, hasFilesInProgress })
    const unusable = isModelUsable ? null : "embedding_model"
    const latestError = (unfinished ?? finished[0])?.error ?? unusable
    const error = latestError === null ? null : RunError.parse(latestError)
    const judged = unfinished ? await questions.countJudged(id, unfinished.id) : 0
    return { status, judged, total, counts, error, runs: finished.map(toRun) }
  }
}

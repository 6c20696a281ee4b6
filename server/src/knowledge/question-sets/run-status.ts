import type { Database } from "../../db/database.ts"
import { hasJob } from "../../jobs/store.ts"
import type { Collection } from "../schema.ts"
import type { QuestionStore } from "./question-store.ts"
import { questionJobKind } from "./run-job.ts"
import { type RunStore, type StoredRun, toRun } from "./run-store.ts"
import type { QuestionSetStatus } from "./schema.ts"
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
    unfinished: StoredRun | undefined,
  ): Promise<QuestionSetStatus["status"]> => {
    const hasRun = await hasJob(db.read, questionJobKind, collection.id)
    if (hasRun && unfinished && unfinished.fingerprint !== null) return "running"
    const { filesInProgress } = await readFingerprint(collection)
    if (filesInProgress > 0) return "waiting"
    return hasRun || unfinished ? "scheduled" : "idle"
  }

  return async (collection: Collection): Promise<QuestionSetStatus> => {
    const { id } = collection
    const [counts, unfinished, finished] = await Promise.all([
      questions.counts(id),
      runs.unfinished(id),
      runs.list(id),
    ])
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const status = total === 0 ? "idle" : await findStatus(collection, unfinished)
    const judged = unfinished ? await questions.countJudged(id, unfinished.id) : 0
    return { status, judged, total, counts, runs: finished.map(toRun) }
  }
}

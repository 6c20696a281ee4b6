import type { Selectable } from "kysely"
import type { Database, Reader, Tx } from "../../db/database.ts"
import type { QuestionRunRow } from "../../db/question-tables.ts"
import { QuestionRun, type RunReason } from "./schema.ts"
import { type CollectionState, findChange, parseFingerprint } from "./search-fingerprint.ts"

export type StoredRun = Selectable<QuestionRunRow>

/** Finished runs kept for each collection. */
const maxRuns = 20

export const toRun = (row: StoredRun): QuestionRun => {
  const { search, model, budget } = parseFingerprint(row.fingerprint ?? "{}")
  return QuestionRun.parse({
    id: row.id,
    reason: row.reason,
    finished_at: row.finished_at,
    outcome: row.outcome,
    error: row.error,
    total: row.total,
    reached: row.reached,
    lost: row.lost,
    mean_rank: row.mean_rank,
    search,
    embedding_model: model,
    token_budget: budget,
  })
}

/** Why the results of the last run have to be found again; null if nothing has changed. */
export const findChangeSince = (
  last: StoredRun | undefined,
  { fingerprint, hasFilesInProgress }: CollectionState,
): RunReason | null => {
  const known = last?.fingerprint ? parseFingerprint(last.fingerprint) : null
  const areFilesReady = last?.is_partial === 1 && !hasFilesInProgress
  return findChange(known, fingerprint) ?? (areFilesReady ? "files" : null)
}

/** Runs of the questions of collections; at most one of each collection is unfinished. */
export const createRunStore = (db: Database) => {
  const ofCollection = (collectionId: string, reader: Reader = db.read) =>
    reader.selectFrom("question_runs").where("collection_id", "=", collectionId)

  const finished = (collectionId: string, reader?: Reader) =>
    ofCollection(collectionId, reader)
      .selectAll()
      .where("finished_at", "is not", null)
      .orderBy("id", "desc")

  const latest = (collectionId: string, reader?: Reader): Promise<StoredRun | undefined> =>
    finished(collectionId, reader).where("outcome", "!=", "failed").limit(1).executeTakeFirst()

  return {
    unfinished: (collectionId: string, reader?: Reader): Promise<StoredRun | undefined> =>
      ofCollection(collectionId, reader)
        .selectAll()
        .where("finished_at", "is", null)
        .executeTakeFirst(),

    /** The latest one that has results. */
    latest,

    /** The latest one, with or without results. */
    latestAttempt: (collectionId: string, reader?: Reader): Promise<StoredRun | undefined> =>
      finished(collectionId, reader).limit(1).executeTakeFirst(),

    /** Newest first. */
    list: (collectionId: string): Promise<StoredRun[]> =>
      finished(collectionId).limit(maxRuns).execute(),

    insert: async (
      tx: Tx,
      run: Pick<
        StoredRun,
        "id" | "collection_id" | "reason" | "fingerprint" | "total" | "is_partial"
      >,
    ): Promise<void> => {
      const figures = {
        finished_at: null,
        outcome: null,
        error: null,
        reached: 0,
        lost: 0,
        mean_rank: null,
      }
      await tx
        .insertInto("question_runs")
        .values({ ...run, ...figures })
        .execute()
    },

    set: async (tx: Tx, id: string, changes: Partial<StoredRun>): Promise<void> => {
      await tx.updateTable("question_runs").set(changes).where("id", "=", id).execute()
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await tx.deleteFrom("question_runs").where("id", "=", id).execute()
    },

    /** Deletes the failed runs after the latest one with results. */
    removeFailed: async (tx: Tx, collectionId: string): Promise<void> => {
      const last = await latest(collectionId, tx)
      await tx
        .deleteFrom("question_runs")
        .where("collection_id", "=", collectionId)
        .where("outcome", "=", "failed")
        .where("id", ">", last?.id ?? "")
        .execute()
    },

    /** Deletes all but the newest runs. */
    prune: async (tx: Tx, collectionId: string): Promise<void> => {
      const kept = finished(collectionId, tx).clearSelect().select("id").limit(maxRuns)
      await tx
        .deleteFrom("question_runs")
        .where("collection_id", "=", collectionId)
        .where("finished_at", "is not", null)
        .where("id", "not in", kept)
        .execute()
    },
  }
}

export type RunStore = ReturnType<typeof createRunStore>

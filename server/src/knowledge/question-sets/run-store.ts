import type { Selectable } from "kysely"
import type { Database, Reader, Tx } from "../../db/database.ts"
import type { QuestionRunRow } from "../../db/question-tables.ts"
import { QuestionRun, RunReason } from "./schema.ts"
import { parseFingerprint } from "./search-fingerprint.ts"

export type StoredRun = Selectable<QuestionRunRow>

/** Finished runs kept for each collection. */
const maxRuns = 20

export const toRun = (row: StoredRun): QuestionRun => {
  const { search, model, budget } = parseFingerprint(row.fingerprint ?? "{}")
  return QuestionRun.parse({
    id: row.id,
    reason: RunReason.parse(row.reason),
    finished_at: row.finished_at,
    total: row.total,
    reached: row.reached,
    lost: row.lost,
    mean_rank: row.mean_rank,
    search,
    embedding_model: model,
    token_budget: budget,
  })
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

  return {
    unfinished: (collectionId: string, reader?: Reader): Promise<StoredRun | undefined> =>
      ofCollection(collectionId, reader)
        .selectAll()
        .where("finished_at", "is", null)
        .executeTakeFirst(),

    latest: (collectionId: string, reader?: Reader): Promise<StoredRun | undefined> =>
      finished(collectionId, reader).limit(1).executeTakeFirst(),

    /** Newest first. */
    list: (collectionId: string): Promise<StoredRun[]> =>
      finished(collectionId).limit(maxRuns).execute(),

    insert: async (
      tx: Tx,
      run: Pick<
        StoredRun,
        "id" | "collection_id" | "reason" | "fingerprint" | "requested_at" | "total"
      >,
    ): Promise<void> => {
      const figures = { finished_at: null, reached: 0, lost: 0, mean_rank: null }
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

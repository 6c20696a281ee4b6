import { randomUUIDv7 } from "node:crypto"
import type { Selectable } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { JobRow } from "../db/file-tables.ts"

export type Job = Selectable<JobRow>

/** All times in epoch milliseconds. */
export const createJobStore = (db: Database) => ({
  /** Adds a job, or makes one that waits for the same target due at once, with new attempts. */
  add: async (
    tx: Tx,
    { kind, target, turn, at }: { kind: string; target: string; turn: string; at: number },
  ): Promise<void> => {
    await tx
      .insertInto("jobs")
      .values({
        id: randomUUIDv7(),
        kind,
        target,
        turn,
        attempts: 0,
        run_at: at,
        lease_until: 0,
        holder: null,
        error: null,
        created_at: at,
      })
      .onConflict((conflict) =>
        conflict.columns(["kind", "target"]).doUpdateSet({ attempts: 0, run_at: at }),
      )
      .execute()
  },

  /** Takes the job that is due longest, for `leaseMs`; null where none is due. */
  take: (kind: string, holder: string, { at, leaseMs }: { at: number; leaseMs: number }) =>
    db.transactLoosely(async (tx): Promise<Job | null> => {
      await db.exclusive(tx, `jobs:${kind}`)
      const due = await tx
        .selectFrom("jobs")
        .selectAll()
        .where("kind", "=", kind)
        .where("run_at", "<=", at)
        .where("lease_until", "<=", at)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("jobs as other")
                .select("other.id")
                .whereRef("other.turn", "=", "jobs.turn")
                .whereRef("other.kind", "=", "jobs.kind")
                .where("other.lease_until", ">", at),
            ),
          ),
        )
        .orderBy("run_at")
        .orderBy("id")
        .limit(1)
        .executeTakeFirst()
      if (!due) return null
      const taken = { lease_until: at + leaseMs, holder }
      await tx.updateTable("jobs").set(taken).where("id", "=", due.id).execute()
      return { ...due, ...taken }
    }),

  /** Whether any job of the kind waits for its turn or its time. */
  anyDue: async (kind: string, at: number): Promise<boolean> => {
    const found = await db.read
      .selectFrom("jobs")
      .select("id")
      .where("kind", "=", kind)
      .where("run_at", "<=", at)
      .where("lease_until", "<=", at)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  /** @returns false when the lease went to somebody else, or the job is gone */
  renew: (id: string, holder: string, until: number): Promise<boolean> =>
    db.transactLoosely(async (tx) => {
      const [kept] = await tx
        .updateTable("jobs")
        .set({ lease_until: until })
        .where("id", "=", id)
        .where("holder", "=", holder)
        .returning("id")
        .execute()
      return kept !== undefined
    }),

  /** Ends it for good, unless it was asked for once more while it ran. */
  finish: (job: Job): Promise<void> =>
    db.transactLoosely(async (tx) => {
      const mine = tx.deleteFrom("jobs").where("id", "=", job.id).where("holder", "=", job.holder)
      await mine.where("run_at", "=", job.run_at).execute()
      await tx
        .updateTable("jobs")
        .set({ lease_until: 0, holder: null })
        .where("id", "=", job.id)
        .where("holder", "=", job.holder)
        .execute()
    }),

  again: (job: Job, change: { run_at: number; attempts: number; error: string | null }) =>
    db.transactLoosely(async (tx): Promise<void> => {
      await tx
        .updateTable("jobs")
        .set({ ...change, lease_until: 0, holder: null })
        .where("id", "=", job.id)
        .where("holder", "=", job.holder)
        .execute()
    }),

  /** After a crash nobody works on anything: for a database that only one process uses. */
  releaseAll: (): Promise<void> =>
    db.transactLoosely(async (tx) => {
      await tx.updateTable("jobs").set({ lease_until: 0, holder: null }).execute()
    }),

  remove: async (tx: Tx, kind: string, target: string): Promise<void> => {
    await tx.deleteFrom("jobs").where("kind", "=", kind).where("target", "=", target).execute()
  },
})

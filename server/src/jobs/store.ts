import { randomUUIDv7 } from "node:crypto"
import { type Selectable, sql } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { JobRow } from "../db/file-tables.ts"
import {
  chargeOwner,
  ensureOwner,
  findFirstDueJob,
  queryOwnersWithDueJobs,
  settleOwnerCharge,
} from "./fair-queue.ts"

export type Job = Selectable<JobRow>
type Lease = Pick<Job, "id" | "holder" | "lease_until">

/** What one of a kind's places takes: `slow` is 1 for jobs that a quick place was too short for. */
export interface JobSelector {
  kind: string
  slow: 0 | 1
}

export interface NewJob {
  kind: string
  target: string
  /** Of the jobs that share one, one runs at a time. */
  turn: string
  /** The user whose share of the time it takes. */
  owner: string
}

/** All times in epoch milliseconds. */
export const createJobStore = (db: Database) => ({
  /** Makes owners' jobs find their order. To be called once, before any job is taken. */
  open: (kinds: readonly string[]): Promise<void> =>
    db.transact(async (tx) => {
      for (const kind of kinds) await ensureOwner(tx, kind, "")
    }),

  /** Adds a job, or makes one that waits for the same target due at once, with new attempts. */
  add: async (tx: Tx, job: NewJob, at: number): Promise<void> => {
    const fresh = { attempts: 0, run_at: 0, slow: 0 }
    await tx
      .insertInto("jobs")
      .values({
        ...job,
        ...fresh,
        id: randomUUIDv7(),
        lease_until: 0,
        holder: null,
        error: null,
        created_at: at,
        revision: 0,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["kind", "target"])
          .doUpdateSet({ ...fresh, owner: job.owner, revision: sql`jobs.revision + 1` }),
      )
      .execute()
    await ensureOwner(tx, job.kind, job.owner)
  },

  /** Takes the next job of the owner who has had the least; null where none is due. */
  take: ({ kind, slow }: JobSelector, lease: { holder: string; lease_until: number }, at: number) =>
    db.transactRelaxed(async (tx): Promise<Job | null> => {
      await db.acquireLock(tx, `jobs:${kind}`)
      const due = await findFirstDueJob(tx, { kind, slow, at })
      if (!due) return null
      await tx.updateTable("jobs").set(lease).where("id", "=", due.id).execute()
      await chargeOwner(tx, due)
      return { ...due, ...lease }
    }),

  /** Whether any job waits for a place. */
  hasDue: async ({ kind, slow }: JobSelector, at: number): Promise<boolean> => {
    const found = await db.read
      .selectFrom("jobs")
      .select("id")
      .where("kind", "=", kind)
      .where("slow", "=", slow)
      .where("holder", "is", null)
      .where("run_at", "<=", at)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  /** Whether anybody but `owner` has a job that waits for a place. */
  hasDueForOthers: async (
    { kind, slow }: JobSelector,
    owner: string,
    at: number,
  ): Promise<boolean> => {
    const due = await queryOwnersWithDueJobs(db.read, { kind, slow, at })
      .where("job_owners.owner", "!=", owner)
      .limit(1)
      .executeTakeFirst()
    return due !== undefined
  },

  /** @returns false when the lease went to somebody else, or the job is gone */
  renew: (id: string, holder: string, until: number): Promise<boolean> =>
    db.transactRelaxed(async (tx) => {
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
  finish: (job: Job, usedMs: number): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      const claimed = tx
        .deleteFrom("jobs")
        .where("id", "=", job.id)
        .where("holder", "=", job.holder)
      await claimed.where("revision", "=", job.revision).execute()
      await release(tx, job)
      await settleOwnerCharge(tx, job, usedMs)
    }),

  /** Puts it back, to be taken again. */
  putBack: (job: Job, change: Partial<Job>, usedMs: number): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      await tx
        .updateTable("jobs")
        .set(change)
        .where("id", "=", job.id)
        .where("holder", "=", job.holder)
        .where("revision", "=", job.revision)
        .execute()
      await release(tx, job)
      await settleOwnerCharge(tx, job, usedMs)
    }),

  leases: (): Promise<Lease[]> =>
    db.read
      .selectFrom("jobs")
      .select(["id", "holder", "lease_until"])
      .where("holder", "is not", null)
      .execute(),

  /** Takes a job from a holder that is dead, unless it has just shown that it lives. */
  endLease: ({ id, holder, lease_until }: Lease): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      await tx
        .updateTable("jobs")
        .set({ lease_until: 0, holder: null })
        .where("id", "=", id)
        .where("holder", "=", holder)
        .where("lease_until", "=", lease_until)
        .execute()
    }),

  /** After a crash nobody works on anything: for a database that only one process uses. */
  releaseAll: (): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      await tx
        .updateTable("jobs")
        .set({ lease_until: 0, holder: null })
        .where("holder", "is not", null)
        .execute()
    }),

  /**
   * Makes due what of `kinds` would be tried again later than `latest`: the clock was ahead when it was
   * put off. What runs is left alone; it is seen when it waits again.
   */
  bringForward: async (kinds: readonly string[], latest: number): Promise<void> => {
    // Asked every second: each word of it is there to be found within `jobs_due`.
    const late = db.read
      .selectFrom("jobs")
      .select("id")
      .where("kind", "in", kinds)
      .where("slow", "in", [0, 1])
      .where("holder", "is", null)
      .where("run_at", ">", latest)
    if (!(await late.limit(1).executeTakeFirst())) return
    await db.transactRelaxed(async (tx) => {
      await tx.updateTable("jobs").set({ run_at: 0 }).where("run_at", ">", latest).execute()
    })
  },

  remove: async (tx: Tx, kind: string, target: string): Promise<void> => {
    const deleted = await tx
      .deleteFrom("jobs")
      .where("kind", "=", kind)
      .where("target", "=", target)
      .returning(["kind", "owner"])
      .execute()
    for (const job of deleted) await settleOwnerCharge(tx, job)
  },
})

const release = async (tx: Tx, { id, holder }: Job): Promise<void> => {
  await tx
    .updateTable("jobs")
    .set({ lease_until: 0, holder: null })
    .where("id", "=", id)
    .where("holder", "=", holder)
    .execute()
}

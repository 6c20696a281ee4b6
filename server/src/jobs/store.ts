import { randomUUIDv7 } from "node:crypto"
import { type Selectable, sql } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
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

/** The jobs that a slot may take; `slow` is 1 for jobs that were preempted in a quick slot. */
export interface JobSelector {
  kind: string
  slow: 0 | 1
}

export interface NewJob {
  kind: string
  target: string
  /** Mutual exclusion key: of the jobs with the same value, one runs at a time. */
  turn: string
  /** The user whose share of the time the job uses. */
  owner: string
  /**
   * How long to wait, in ms; adding the job again begins the wait again, at most `maxPostponements`
   * times its length. At most `maxRetryDelayMs`.
   */
  delayMs?: number
}

const maxPostponements = 10

/** When a job is due that is added again at `at`. */
const dueAt = (delayMs: number, at: number) => {
  const latest = sql<number>`jobs.created_at + ${maxPostponements * delayMs}`
  const next = at + delayMs
  return sql<number>`case when ${latest} < ${next} then ${latest} else ${next} end`
}

const insertJob = async (tx: Tx, { delayMs = 0, ...job }: NewJob, at: number): Promise<void> => {
  const fresh = { attempts: 0, slow: 0 }
  await tx
    .insertInto("jobs")
    .values({
      ...job,
      ...fresh,
      id: randomUUIDv7(),
      run_at: delayMs === 0 ? 0 : at + delayMs,
      lease_until: 0,
      holder: null,
      error: null,
      created_at: at,
      revision: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(["kind", "target"]).doUpdateSet({
        ...fresh,
        run_at: delayMs === 0 ? 0 : dueAt(delayMs, at),
        owner: job.owner,
        revision: sql`jobs.revision + 1`,
      }),
    )
    .execute()
}

const compareBy =
  <T>(keyOf: (item: T) => string) =>
  (one: T, other: T): number =>
    keyOf(one) < keyOf(other) ? -1 : 1

/** Its `holder` is null while it waits. */
export const findJob = (
  reader: Reader,
  kind: string,
  target: string,
): Promise<Pick<Job, "holder"> | undefined> => {
  const jobs = reader.selectFrom("jobs").select("holder").where("kind", "=", kind)
  return jobs.where("target", "=", target).executeTakeFirst()
}

export const hasJob = async (reader: Reader, kind: string, target: string): Promise<boolean> =>
  (await findJob(reader, kind, target)) !== undefined

/** All times in epoch milliseconds. */
export const createJobStore = (db: Database) => ({
  /** Creates the queue's virtual clock for each kind. Call once, before any job is taken. */
  open: (kinds: readonly string[]): Promise<void> =>
    db.essential.transact(async (tx) => {
      for (const kind of kinds) await ensureOwner(tx, kind, "")
    }),

  /**
   * Adds jobs; call it once per transaction. If a target has one, makes it due as if it were new,
   * with a fresh attempt count. As in every transaction, jobs are locked before their owners, and both in
   * order: two transactions could otherwise wait for each other.
   */
  add: async (tx: Tx, jobs: readonly NewJob[], at: number): Promise<void> => {
    for (const job of jobs.toSorted(compareBy(({ target }) => target))) await insertJob(tx, job, at)
    const owners = new Map(jobs.map((job) => [`${job.kind} ${job.owner}`, job]))
    for (const [, { kind, owner }] of [...owners].sort(compareBy(([key]) => key)))
      await ensureOwner(tx, kind, owner)
  },

  /** Leases the next job in scheduling order; null if none is due. */
  take: ({ kind, slow }: JobSelector, lease: { holder: string; lease_until: number }, at: number) =>
    db.essential.transactRelaxed(async (tx): Promise<Job | null> => {
      await db.acquireLock(tx, `jobs:${kind}`)
      const due = await findFirstDueJob(tx, { kind, slow, at })
      if (!due) return null
      await tx.updateTable("jobs").set(lease).where("id", "=", due.id).execute()
      await chargeOwner(tx, due)
      return { ...due, ...lease }
    }),

  /** Whether any job is due. */
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

  /** Whether a job of any of the kinds is due or running. */
  isAnyActive: async (kinds: readonly string[], at: number): Promise<boolean> => {
    for (const kind of kinds) {
      const ofKind = db.read.selectFrom("jobs").select("id").where("kind", "=", kind).limit(1)
      const leased = ofKind.where("holder", "is not", null)
      if (await leased.executeTakeFirst()) return true
      const due = ofKind
        .where("slow", "in", [0, 1])
        .where("holder", "is", null)
        .where("run_at", "<=", at)
      if (await due.executeTakeFirst()) return true
    }
    return false
  },

  /** Whether an owner other than `owner` has a job that is due. */
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

  /** Extends a lease. @returns false if it was lost or the job was deleted */
  renew: (id: string, holder: string, until: number): Promise<boolean> =>
    db.essential.transactRelaxed(async (tx) => {
      const [kept] = await tx
        .updateTable("jobs")
        .set({ lease_until: until })
        .where("id", "=", id)
        .where("holder", "=", holder)
        .returning("id")
        .execute()
      return kept !== undefined
    }),

  /** Deletes the job, unless it was added again while it was running; then it becomes due. */
  finish: (job: Job, usedMs: number): Promise<void> =>
    db.essential.transactRelaxed(async (tx) => {
      const claimed = tx
        .deleteFrom("jobs")
        .where("id", "=", job.id)
        .where("holder", "=", job.holder)
      await claimed.where("revision", "=", job.revision).execute()
      await release(tx, job)
      await settleOwnerCharge(tx, job, usedMs)
    }),

  /** Releases the job so that it runs again. Ignores `change` if it was added again meanwhile. */
  requeue: (job: Job, change: Partial<Job>, usedMs: number): Promise<void> =>
    db.essential.transactRelaxed(async (tx) => {
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

  /** Ends the lease of a dead holder, unless it has been renewed since it was read. */
  endLease: ({ id, holder, lease_until }: Lease): Promise<void> =>
    db.essential.transactRelaxed(async (tx) => {
      await tx
        .updateTable("jobs")
        .set({ lease_until: 0, holder: null })
        .where("id", "=", id)
        .where("holder", "=", holder)
        .where("lease_until", "=", lease_until)
        .execute()
    }),

  /** Ends all leases after a crash. Only for a database that no other process uses. */
  releaseAll: (): Promise<void> =>
    db.essential.transactRelaxed(async (tx) => {
      await tx
        .updateTable("jobs")
        .set({ lease_until: 0, holder: null })
        .where("holder", "is not", null)
        .execute()
    }),

  /**
   * Makes jobs due whose retry lies after `latest`: the clock was ahead when they were postponed.
   * Running jobs do not trigger this; they are checked when they wait again.
   */
  bringForward: async (kinds: readonly string[], latest: number): Promise<void> => {
    // Runs every second: all conditions are needed for the index `jobs_due` to apply.
    const late = db.read
      .selectFrom("jobs")
      .select("id")
      .where("kind", "in", kinds)
      .where("slow", "in", [0, 1])
      .where("holder", "is", null)
      .where("run_at", ">", latest)
    if (!(await late.limit(1).executeTakeFirst())) return
    await db.essential.transactRelaxed(async (tx) => {
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

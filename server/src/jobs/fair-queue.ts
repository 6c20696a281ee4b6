import { type Selectable, sql } from "kysely"
import type { Reader, Tx } from "../db/database.ts"
import type { JobRow } from "../db/file-tables.ts"

/**
 * Start-time fair queuing (Goyal, Vin and Cheng 1996): an owner's virtual time is the time spent on
 * their jobs, in ms, and the owner with the least is served next. Owners with few jobs are served
 * soon; owners with many delay only their own. A new owner starts at the queue's current virtual
 * time, which is stored under the owner "".
 */

/** Charged when a job is taken; corrected by `settleOwnerCharge` once the actual time is known. */
const expectedMs = 1000
/** Jobs considered per owner; later ones wait until one of these has ended. */
const candidatesPerOwner = 50
const ownersAtOnce = 20

interface Due {
  kind: string
  slow: 0 | 1
  at: number
}

type OwnedJob = Pick<Selectable<JobRow>, "kind" | "owner">

const charge = async (tx: Tx, { kind, owner }: OwnedJob, ms: number): Promise<void> => {
  await tx
    .updateTable("job_owners")
    .set({ virtual_time: sql`virtual_time + ${Math.round(ms)}` })
    .where("kind", "=", kind)
    .where("owner", "=", owner)
    .execute()
}

/** Call after inserting the job: the owner's row stays locked until the transaction ends. */
export const ensureOwner = async (tx: Tx, kind: string, owner: string): Promise<void> => {
  const virtual_time = sql<number>`coalesce(
    (select virtual_time from job_owners where kind = ${kind} and owner = ''), 0)`
  await tx
    .insertInto("job_owners")
    .values({ kind, owner, virtual_time })
    // Changes nothing but locks the row; see `settleOwnerCharge`.
    .onConflict((conflict) => conflict.columns(["kind", "owner"]).doUpdateSet({ owner }))
    .execute()
}

/** Owners with a job that is due, in scheduling order. */
export const queryOwnersWithDueJobs = (reader: Reader, { kind, slow, at }: Due) =>
  reader
    .selectFrom("job_owners")
    .select("owner")
    .where("kind", "=", kind)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("jobs")
          .select("jobs.id")
          .whereRef("jobs.kind", "=", "job_owners.kind")
          .whereRef("jobs.owner", "=", "job_owners.owner")
          .where("jobs.slow", "=", slow)
          .where("jobs.holder", "is", null)
          .where("jobs.run_at", "<=", at),
      ),
    )
    .orderBy("virtual_time")
    .orderBy("owner")

const firstOfOwner = async (
  tx: Tx,
  { kind, slow, at }: Due,
  { owner, busy }: { owner: string; busy: ReadonlySet<string> },
): Promise<Selectable<JobRow> | undefined> => {
  const jobs = await tx
    .selectFrom("jobs")
    .selectAll()
    .where("kind", "=", kind)
    .where("owner", "=", owner)
    .where("slow", "=", slow)
    .where("holder", "is", null)
    .where("run_at", "<=", at)
    .orderBy("run_at")
    .orderBy("id")
    .limit(busy.size === 0 ? 1 : candidatesPerOwner)
    .execute()
  return jobs.find(({ turn }) => !busy.has(turn))
}

/** The next job to run; skips jobs whose `turn` another running job holds. */
export const findFirstDueJob = async (
  tx: Tx,
  due: Due,
): Promise<Selectable<JobRow> | undefined> => {
  const leased = await tx
    .selectFrom("jobs")
    .select("turn")
    .where("kind", "=", due.kind)
    .where("holder", "is not", null)
    .execute()
  const busy = new Set(leased.map(({ turn }) => turn))
  const owners = await queryOwnersWithDueJobs(tx, due)
    .limit(busy.size === 0 ? 1 : ownersAtOnce)
    .execute()
  for (const { owner } of owners) {
    const job = await firstOfOwner(tx, due, { owner, busy })
    if (job) return job
  }
  return undefined
}

/** Charges the owner of a job that starts and advances the queue to that owner's virtual time. */
export const chargeOwner = async (tx: Tx, job: OwnedJob): Promise<void> => {
  const { kind, owner } = job
  await tx
    .updateTable("job_owners")
    .set({
      virtual_time: sql`(select o.virtual_time from job_owners o
        where o.kind = ${kind} and o.owner = ${owner})`,
    })
    .where("kind", "=", kind)
    .where("owner", "=", "")
    .execute()
  await charge(tx, job, expectedMs)
}

/**
 * Replaces the expected charge of a job by the time it used, and deletes an owner without jobs.
 * Charging locks the owner's row, so that a job added concurrently is either visible here or
 * inserts its owner again.
 * @param usedMs omitted for a job that was removed
 */
export const settleOwnerCharge = async (
  tx: Tx,
  job: OwnedJob,
  usedMs = expectedMs,
): Promise<void> => {
  const { kind, owner } = job
  await charge(tx, job, usedMs - expectedMs)
  if (owner === "") return
  await tx
    .deleteFrom("job_owners")
    .where("kind", "=", kind)
    .where("owner", "=", owner)
    .where(({ and, not, exists, selectFrom }) => {
      const jobs = selectFrom("jobs")
        .select("jobs.id")
        .where("jobs.kind", "=", kind)
        .where("jobs.owner", "=", owner)
      // Two queries, because each has its own index.
      const waiting = jobs.where("jobs.holder", "is", null)
      const leased = jobs.where("jobs.holder", "is not", null)
      return and([not(exists(waiting)), not(exists(leased))])
    })
    .execute()
}

import { type Selectable, sql } from "kysely"
import type { Reader, Tx } from "../db/database.ts"
import type { JobRow } from "../db/file-tables.ts"

/**
 * Fair queuing by time (start-time fair queuing; Goyal, Vin and Cheng 1996): an owner's virtual time
 * is the work done for them, and the owner whose is least comes next. Who asks for little is served
 * soon, and who asks for much waits for themselves. A newcomer begins where the queue is, which the
 * owner "" remembers.
 */

/** Charged when a job is taken, until it is known how long it took. */
const expectedMs = 1000
/** Of one owner; further ones wait until something of theirs has ended. */
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

/** To be called after the job is there: an owner's row stays locked until the transaction ends. */
export const ensureOwner = async (tx: Tx, kind: string, owner: string): Promise<void> => {
  const virtual_time = sql<number>`coalesce(
    (select virtual_time from job_owners where kind = ${kind} and owner = ''), 0)`
  await tx
    .insertInto("job_owners")
    .values({ kind, owner, virtual_time })
    // An update that changes nothing, and takes the lock: see `settleOwner`.
    .onConflict((conflict) => conflict.columns(["kind", "owner"]).doUpdateSet({ owner }))
    .execute()
}

/** Owners with a job that could begin now, the one who has had the least first. */
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

/** The job whose turn it is. */
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

/** Notes that a job begins: the queue is where its owner was. */
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
 * Notes what a job took that was taken, or that one is gone which was not; forgets an owner without
 * jobs. The charge takes the lock of the owner's row, so that a job that is added meanwhile is either
 * seen here or enters its owner anew.
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
      // Asked one by one, as each has its index.
      const waiting = jobs.where("jobs.holder", "is", null)
      const leased = jobs.where("jobs.holder", "is not", null)
      return and([not(exists(waiting)), not(exists(leased))])
    })
    .execute()
}

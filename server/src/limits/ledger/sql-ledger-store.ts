import { sql } from "kysely"
import type { Database, Tx } from "../../db/database.ts"
import type { LimitRow } from "../../db/limit-tables.ts"
import { selectFromRows } from "./claim-rows.ts"
import type {
  ClaimReply,
  ClaimRequest,
  LeaseHolder,
  LedgerStore,
  RateClaim,
  RateGrant,
} from "./ledger-store.ts"
import { amountAt } from "./limit-rule.ts"
import { applyRateClaim } from "./rate.ts"
import { closeLeasesOf, reopenLeasesOf } from "./sql-dead-processes.ts"
import { deleteEnded } from "./sql-ended.ts"
import { claimSlices } from "./sql-slices.ts"

type LockedLimit = Pick<
  LimitRow,
  "id" | "amount" | "raise_amount" | "raise_until_ms" | "arrival_ms"
>

/**
 * Locks limits in the order of their ids, so that two claims cannot wait for each other. Accounts
 * and leases change only under this lock; on SQLite, a transaction is alone anyway.
 */
const lockLimits = async (
  db: Database,
  tx: Tx,
  { slices, rates }: ClaimRequest,
): Promise<Map<string, LockedLimit>> => {
  const ids = [...new Set([...slices, ...rates].map(({ limitId }) => limitId))]
  const rows = ids.map((id) => ({ id }))
  const limits = await tx
    .selectFrom("limits")
    .select(["id", "amount", "raise_amount", "raise_until_ms", "arrival_ms"])
    .where(
      "id",
      "in",
      sql<string>`(select id from ${selectFromRows(db, { id: "text" }, rows)} as ids)`,
    )
    .orderBy("id")
    .$if(db.dialect === "postgres", (query) => query.forUpdate())
    .execute()
  return new Map(limits.map((limit) => [limit.id, limit]))
}

const amountOf = ({ amount, raise_amount, raise_until_ms }: LockedLimit, at: number): number =>
  amountAt({ amount, raiseAmount: raise_amount, raiseUntil: raise_until_ms }, at)

/** Counts the claim as a sign of life. @returns what happened to the leases in the meantime */
const renewProcess = async (
  db: Database,
  tx: Tx,
  processId: string,
): Promise<{ wasClosed: boolean; hasLostLeases: boolean }> => {
  const { rows } = await sql<{ is_closed: number; has_lost_leases: number }>`
    insert into limit_processes (id, heartbeat, is_closed, has_lost_leases)
      values (${processId}, 1, 0, 0)
    on conflict (id) do update set heartbeat = limit_processes.heartbeat + 1
    returning is_closed, has_lost_leases`.execute(tx)
  const wasClosed = rows[0]?.is_closed === 1
  if (wasClosed) await reopenLeasesOf(db, tx, processId)
  return { wasClosed, hasLostLeases: rows[0]?.has_lost_leases === 1 }
}

/** The clock that all processes share: that of the database server. */
const readClock = async ({ dialect }: Database, tx: Tx, at: number): Promise<number> => {
  if (dialect === "sqlite") return at
  const { rows } = await sql<{ now: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as now`.execute(
    tx,
  )
  return rows[0]?.now ?? at
}

interface RateClaims {
  rates: readonly RateClaim[]
  limits: ReadonlyMap<string, LockedLimit>
  /** Of the shared clock. */
  now: number
  /** Of the process's clock. */
  at: number
}

const claimRates = async (
  db: Database,
  tx: Tx,
  { rates, limits, now, at }: RateClaims,
): Promise<(RateGrant | null)[]> => {
  const grants = rates.map((claim) => {
    const limit = limits.get(claim.limitId)
    if (!limit) return null
    return applyRateClaim({ arrival: limit.arrival_ms, amount: amountOf(limit, at), now }, claim)
  })
  const changes = grants.flatMap((grant, index) => {
    const id = rates[index]?.limitId
    return grant && id !== undefined ? [{ id, arrival_ms: grant.arrival }] : []
  })
  if (changes.length === 0) return grants
  const rows = selectFromRows(db, { id: "text", arrival_ms: "double precision" }, changes)
  await sql`update limits set arrival_ms = changes.arrival_ms from ${rows} as changes
    where changes.id = limits.id`.execute(tx)
  return grants
}

const applyClaims = async (db: Database, tx: Tx, request: ClaimRequest): Promise<ClaimReply> => {
  const { processId, at, slices, rates } = request
  const { wasClosed, hasLostLeases } = await renewProcess(db, tx, processId)
  if (slices.length + rates.length === 0) return { at, slices: [], rates: [], wasClosed }
  const limits = await lockLimits(db, tx, request)
  const claims = slices.flatMap((claim) => {
    const limit = limits.get(claim.limitId)
    return limit ? [{ claim, amount: amountOf(limit, at) }] : []
  })
  const grants = await claimSlices(db, tx, { processId, claims, hasLostLeases })
  const grantByClaim = new Map(claims.map(({ claim }, index) => [claim, grants[index] ?? null]))
  const now = rates.length > 0 ? await readClock(db, tx, at) : at
  return {
    at: now,
    slices: slices.map((claim) => grantByClaim.get(claim) ?? null),
    rates: await claimRates(db, tx, { rates, limits, now, at }),
    wasClosed,
  }
}

/**
 * Keeps accounts and leases in the database. Claims are durable: what was granted counts even after
 * a power failure. They are written on a full disk too, because requests depend on them.
 */
export const createSqlLedgerStore = (db: Database) => {
  const { essential } = db
  const closeLeases = (holder: LeaseHolder): Promise<boolean> =>
    essential.transact((tx) => closeLeasesOf(db, tx, holder))

  const readHolders = async (): Promise<LeaseHolder[]> => {
    const rows = await db.read
      .selectFrom("limit_processes")
      .select(["id", "heartbeat"])
      .where("is_closed", "=", 0)
      .execute()
    return rows.map(({ id, heartbeat }) => ({ processId: id, heartbeat }))
  }

  return {
    claim: (request) => essential.transact((tx) => applyClaims(db, tx, request)),
    readHolders,
    closeLeases,

    /** Call at the start on SQLite, which has one process: all others are dead. */
    closeAllLeases: async (): Promise<void> => {
      for (const holder of await readHolders()) await closeLeases(holder)
    },

    /** Deletes what no longer counts, and leases of dead processes. @param at epoch ms */
    deleteEnded: (at: number): Promise<void> => deleteEnded(db, at),
  } satisfies LedgerStore & Record<string, unknown>
}

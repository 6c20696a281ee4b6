import { sql } from "kysely"
import type { Database, Reader, Tx } from "../../db/database.ts"
import { selectFromRows } from "./claim-rows.ts"
import {
  decideSliceClaim,
  emptyLease,
  emptyTotals,
  type Lease,
  type SliceDecision,
  type WindowTotals,
} from "./grant.ts"
import type { SliceClaim, SliceGrant } from "./ledger-store.ts"
import type { Period } from "./periods.ts"

/** A claim of a limit that exists. */
interface AmountClaim {
  claim: SliceClaim
  amount: number
}

interface AmountClaims {
  processId: string
  claims: readonly AmountClaim[]
  /** Whether leases of the process were deleted while it was taken for dead. */
  hasLostLeases: boolean
}

interface DecidedClaim extends AmountClaim {
  lease: Lease
  totals: WindowTotals
  decision: SliceDecision
}

type Dialect = Pick<Database, "dialect">

const readLeases = async (
  db: Dialect,
  tx: Tx,
  { processId, claims }: { processId: string; claims: readonly AmountClaim[] },
): Promise<Map<number, Lease>> => {
  const claimed = selectFromRows(
    db,
    { position: "bigint", limit_id: "text", period: "text" },
    claims.map(({ claim }, position) => ({
      ...{ position, limit_id: claim.limitId, period: claim.period.key },
    })),
  )
  const { rows } = await sql<{
    position: number
    granted: number
    used: number
    opening: number
    written_off: number
  }>`select claimed.position, leases.granted, leases.used, leases.opening, leases.written_off
    from ${claimed} as claimed join limit_leases as leases
      on leases.process_id = ${processId} and leases.limit_id = claimed.limit_id
        and leases.period = claimed.period`.execute(tx)
  return new Map(
    rows.map(({ position, written_off, ...lease }) => [
      position,
      { ...lease, writtenOff: written_off },
    ]),
  )
}

/** What is used of limits in the windows to which periods belong, by their position. */
export const readTotals = async (
  db: Dialect,
  reader: Reader,
  periods: readonly { limitId: string; period: Period }[],
): Promise<Map<number, WindowTotals>> => {
  const claimed = selectFromRows(
    db,
    { position: "bigint", limit_id: "text", series: "text", starts_ms: "bigint" },
    periods.map(({ limitId, period }, position) => ({
      ...{ position, limit_id: limitId, series: period.series, starts_ms: period.windowStartsAt },
    })),
  )
  // As floating-point numbers, sums beyond what integers express in JavaScript can be read as well.
  const { rows } = await sql<{
    position: number
    spent: number
    written_off: number
    granted: number
    oldest_ms: number | null
  }>`select claimed.position, cast(sum(accounts.spent) as double precision) as spent,
      cast(sum(accounts.written_off) as double precision) as written_off,
      cast(sum(accounts.granted) as double precision) as granted,
      min(case when accounts.spent + accounts.written_off > 0 then accounts.counts_until_ms end)
        as oldest_ms
    from ${claimed} as claimed join limit_accounts as accounts
      on accounts.limit_id = claimed.limit_id and accounts.series = claimed.series
        and accounts.starts_ms >= claimed.starts_ms
    group by claimed.position`.execute(reader)
  return new Map(
    rows.map(({ position, spent, written_off, granted, oldest_ms }) => [
      position,
      { spent, writtenOff: written_off, granted, oldestCountsUntil: oldest_ms },
    ]),
  )
}

const saveAccounts = async (db: Dialect, tx: Tx, claims: readonly DecidedClaim[]) => {
  const changes = selectFromRows(
    db,
    {
      limit_id: "text",
      period: "text",
      series: "text",
      starts_ms: "bigint",
      counts_until_ms: "bigint",
      spent: "bigint",
      granted: "bigint",
    },
    claims.map(({ claim: { limitId, period }, decision, lease }) => ({
      limit_id: limitId,
      period: period.key,
      series: period.series,
      starts_ms: period.startsAt,
      counts_until_ms: Number.isFinite(period.countsUntil) ? period.countsUntil : null,
      spent: decision.spent,
      granted: decision.granted - lease.granted,
    })),
  )
  await sql`insert into limit_accounts
      (limit_id, period, series, starts_ms, counts_until_ms, spent, written_off, granted)
    select limit_id, period, series, starts_ms, counts_until_ms, spent, 0, granted
      from ${changes} as changes where true
    on conflict (limit_id, period) do update set
      spent = limit_accounts.spent + excluded.spent,
      granted = limit_accounts.granted + excluded.granted`.execute(tx)
}

const saveLeases = async (
  db: Dialect,
  tx: Tx,
  { processId, claims }: { processId: string; claims: readonly DecidedClaim[] },
) => {
  const leases = selectFromRows(
    db,
    { limit_id: "text", period: "text", granted: "bigint", used: "bigint", opening: "bigint" },
    claims.map(({ claim, decision }) => ({
      limit_id: claim.limitId,
      period: claim.period.key,
      granted: decision.granted,
      used: claim.used,
      opening: claim.opening,
    })),
  )
  await sql`insert into limit_leases
      (process_id, limit_id, period, granted, used, opening, written_off)
    select cast(${processId} as text), limit_id, period, granted, used, opening, 0
      from ${leases} as leases where true
    on conflict (process_id, limit_id, period) do update set
      granted = excluded.granted, used = excluded.used, opening = excluded.opening,
      written_off = 0`.execute(tx)
}

const earlier = (one: number | null, other: number): number | null => {
  const first = Math.min(one ?? other, other)
  return Number.isFinite(first) ? first : null
}

const toGrant = ({ claim, amount, lease, totals, decision }: DecidedClaim): SliceGrant => ({
  granted: decision.granted,
  spent: totals.spent + totals.writtenOff + decision.spent,
  reserved: totals.granted + decision.granted - lease.granted,
  amount,
  oldestCountsUntil:
    decision.spent > 0
      ? earlier(totals.oldestCountsUntil, claim.period.countsUntil)
      : totals.oldestCountsUntil,
})

/** What a claim is compared with if the process has no lease. */
const leaseOfLost = ({ opening, reported }: SliceClaim): Lease => ({
  ...{ granted: 0, writtenOff: 0 },
  ...{ opening, used: reported },
})

/** Adds what was decided for other periods of the same window in this transaction. */
const addDecided = (
  totals: WindowTotals,
  { limitId, period }: SliceClaim,
  decided: readonly DecidedClaim[],
): WindowTotals => {
  let { spent, granted, oldestCountsUntil } = totals
  for (const { claim, decision, lease } of decided) {
    if (claim.limitId !== limitId || claim.period.series !== period.series) continue
    if (claim.period.startsAt < period.windowStartsAt) continue
    if (decision.spent > 0) oldestCountsUntil = earlier(oldestCountsUntil, claim.period.countsUntil)
    spent += decision.spent
    granted += decision.granted - lease.granted
  }
  return { ...totals, spent, granted, oldestCountsUntil }
}

interface ClaimedState {
  /** By the position of the claim. */
  leases: ReadonlyMap<number, Lease>
  totalsByPosition: ReadonlyMap<number, WindowTotals>
  hasLostLeases: boolean
}

const decide = (
  claims: readonly AmountClaim[],
  { leases, totalsByPosition, hasLostLeases }: ClaimedState,
): DecidedClaim[] => {
  const decidedByLimit = new Map<string, DecidedClaim[]>()
  return claims.map(({ claim, amount }, position) => {
    const decided = decidedByLimit.get(claim.limitId) ?? []
    const lease = leases.get(position) ?? (hasLostLeases ? leaseOfLost(claim) : emptyLease)
    const totals = addDecided(totalsByPosition.get(position) ?? emptyTotals, claim, decided)
    const decision = decideSliceClaim(claim, { totals, lease, amount })
    const result = { claim, amount, lease, totals, decision }
    decidedByLimit.set(claim.limitId, [...decided, result])
    return result
  })
}

/** Settles and grants claims while their limits are locked. */
export const claimSlices = async (
  db: Dialect,
  tx: Tx,
  { processId, claims, hasLostLeases }: AmountClaims,
): Promise<SliceGrant[]> => {
  if (claims.length === 0) return []
  const leases = await readLeases(db, tx, { processId, claims })
  const periods = claims.map(({ claim }) => claim)
  const totalsByPosition = await readTotals(db, tx, periods)
  const decided = decide(claims, { leases, totalsByPosition, hasLostLeases })
  await saveAccounts(db, tx, decided)
  await saveLeases(db, tx, { processId, claims: decided })
  return decided.map(toGrant)
}

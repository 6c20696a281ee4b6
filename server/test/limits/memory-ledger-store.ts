import {
  decideSliceClaim,
  emptyLease,
  type Lease,
  type WindowTotals,
} from "../../src/limits/ledger/grant.ts"
import type {
  ClaimReply,
  ClaimRequest,
  LeaseHolder,
  LedgerStore,
  RateClaim,
  RateGrant,
  SliceClaim,
  SliceGrant,
} from "../../src/limits/ledger/ledger-store.ts"
import type { Period } from "../../src/limits/ledger/periods.ts"
import { applyRateClaim } from "../../src/limits/ledger/rate.ts"

interface StoredAccount {
  limitId: string
  period: Period
  spent: number
  writtenOff: number
  leaseByProcess: Map<string, Lease>
  /** What each process has reported. */
  reportedByProcess: Map<string, number>
}

interface Holder {
  heartbeat: number
  isClosed: boolean
}

interface Deps {
  /** The amount of a limit; undefined if it was deleted. */
  amountOf: (limitId: string) => number | undefined
  nowMs: () => number
}

/** A store that several ledgers share in memory. */
export const createMemoryLedgerStore = ({ amountOf, nowMs }: Deps) => {
  const accounts = new Map<string, StoredAccount>()
  const arrivalByLimit = new Map<string, number>()
  const holderById = new Map<string, Holder>()

  const accountOf = (limitId: string, period: Period): StoredAccount => {
    const key = `${limitId} ${period.key}`
    const known = accounts.get(key)
    if (known) return known
    const maps = { leaseByProcess: new Map(), reportedByProcess: new Map() }
    const account = { limitId, period, spent: 0, writtenOff: 0, ...maps }
    accounts.set(key, account)
    return account
  }

  const sum = (values: Iterable<number>): number => [...values].reduce((one, two) => one + two, 0)

  const grantedOf = ({ leaseByProcess }: StoredAccount): number =>
    sum([...leaseByProcess.values()].map(({ granted }) => granted))

  const totalsOf = (limitId: string, { series, windowStartsAt }: Period): WindowTotals => {
    const counted = [...accounts.values()].filter(
      (account) =>
        account.limitId === limitId &&
        account.period.series === series &&
        account.period.startsAt >= windowStartsAt,
    )
    const spent = counted.filter((account) => account.spent + account.writtenOff > 0)
    const oldest = Math.min(...spent.map(({ period }) => period.countsUntil))
    return {
      spent: sum(counted.map((account) => account.spent)),
      writtenOff: sum(counted.map((account) => account.writtenOff)),
      granted: sum(counted.map(grantedOf)),
      oldestCountsUntil: Number.isFinite(oldest) ? oldest : null,
    }
  }

  const claimSlice = (processId: string, claim: SliceClaim): SliceGrant | null => {
    const amount = amountOf(claim.limitId)
    if (amount === undefined) return null
    const account = accountOf(claim.limitId, claim.period)
    const lease = account.leaseByProcess.get(processId) ?? emptyLease
    const totals = totalsOf(claim.limitId, claim.period)
    const { spent, granted } = decideSliceClaim(claim, { totals, lease, amount })
    account.spent += spent
    account.reportedByProcess.set(
      processId,
      (account.reportedByProcess.get(processId) ?? 0) + spent,
    )
    const { used, opening } = claim
    account.leaseByProcess.set(processId, { granted, used, opening, writtenOff: 0 })
    const after = totalsOf(claim.limitId, claim.period)
    return {
      granted,
      spent: after.spent + after.writtenOff,
      reserved: after.granted,
      amount,
      oldestCountsUntil: after.oldestCountsUntil,
    }
  }

  const claimRate = (claim: RateClaim): RateGrant | null => {
    const amount = amountOf(claim.limitId)
    if (amount === undefined) return null
    const arrival = arrivalByLimit.get(claim.limitId) ?? null
    const grant = applyRateClaim({ arrival, amount, now: nowMs() }, claim)
    arrivalByLimit.set(claim.limitId, grant.arrival)
    return grant
  }

  const reopen = (processId: string): void => {
    for (const account of accounts.values()) {
      const lease = account.leaseByProcess.get(processId)
      if (!lease) continue
      account.writtenOff -= lease.writtenOff
      const granted = lease.granted + lease.writtenOff
      account.leaseByProcess.set(processId, { ...lease, granted, writtenOff: 0 })
    }
  }

  const claim = ({ processId, slices, rates }: ClaimRequest): ClaimReply => {
    const keys = slices.map(({ limitId, period }) => `${limitId} ${period.key}`)
    if (new Set(keys).size < keys.length) throw new Error("an account is claimed twice at once")
    const holder = holderById.get(processId) ?? { heartbeat: 0, isClosed: false }
    const wasClosed = holder.isClosed
    if (wasClosed) reopen(processId)
    holderById.set(processId, { heartbeat: holder.heartbeat + 1, isClosed: false })
    return {
      at: nowMs(),
      slices: slices.map((slice) => claimSlice(processId, slice)),
      rates: rates.map(claimRate),
      wasClosed,
    }
  }

  const closeLeases = ({ processId, heartbeat }: LeaseHolder): boolean => {
    const holder = holderById.get(processId)
    if (!holder || holder.heartbeat !== heartbeat) return false
    holder.isClosed = true
    for (const account of accounts.values()) {
      const lease = account.leaseByProcess.get(processId)
      if (!lease) continue
      const writtenOff = account.period.key === "slots" ? 0 : lease.granted
      account.writtenOff += writtenOff
      account.leaseByProcess.set(processId, { ...lease, granted: 0, writtenOff })
    }
    return true
  }

  const store: LedgerStore = {
    claim: async (request) => claim(request),
    readHolders: async () =>
      [...holderById]
        .filter(([, { isClosed }]) => !isClosed)
        .map(([processId, { heartbeat }]) => ({ processId, heartbeat })),
    closeLeases: async (holder) => closeLeases(holder),
  }

  return {
    ...store,
    accounts: () => [...accounts.values()].map((one) => ({ ...one, granted: grantedOf(one) })),
    holder: (processId: string) => holderById.get(processId),
  }
}

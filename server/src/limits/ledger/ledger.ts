/**
 * Reserves what requests may use at most from all limits that apply to them, and settles what they
 * used.
 *
 *     const limit = ledger.track(rule)                      // once per limit, and when it changes
 *     const admission = await ledger.reserve({ limits: [limit], worstCase })
 *     if (!admission.isAdmitted) …                          // admission.blocked names the limit
 *     admission.settle(used)                                // or cancel(); exactly once counts
 *
 * - `periods.ts`: which account a reservation belongs to.
 * - `slice-account.ts` (sums, requests in flight) and `rate-account.ts` (per minute): what this
 *   process may use without asking.
 * - `claim-queue.ts`: asks the database for more, and reports what was used.
 * - `grant.ts` and `rate.ts`: what the database grants; used by every store.
 * - `sql-ledger-store.ts`: accounts and leases in SQL. `lease-watch.ts`: leases of dead processes.
 *
 * Decision 44 explains why limits hold. Amounts are integers; times are ms, those of periods by the
 * wall clock, all others monotonic.
 */
import type { Account, BlockTimes, Hold } from "./account.ts"
import { findLastBlock, type LimitState } from "./blocked-limit.ts"
import { createClaimQueue, type WaitingRequest } from "./claim-queue.ts"
import type { ClaimReply, LedgerStore } from "./ledger-store.ts"
import { type Amounts, type LimitRule, limitAmounts } from "./limit-rule.ts"
import { type Admission, type Rejection, Reservation } from "./reservation.ts"
import { TrackedLimit } from "./tracked-limit.ts"

/** A request waits no longer for the database. */
const defaultMaxWaitMs = 3000

interface Deps {
  store: LedgerStore
  /** Unique among all processes that ever used the database. */
  processId: string
  runInBackground: (name: string, work: () => Promise<void>) => Promise<boolean>
  /** Whether requests pass if the database cannot be reached and the slices are used up. */
  admitsWithoutDatabase?: () => boolean
  wallMs?: () => number
  steadyMs?: () => number
  maxWaitMs?: number
}

export interface ReservationRequest {
  limits: readonly TrackedLimit[]
  /** What the request uses at most. */
  worstCase: Amounts
}

export const createLedger = (deps: Deps) => {
  const { store, processId, runInBackground, admitsWithoutDatabase = () => false } = deps
  const { wallMs = Date.now, steadyMs = () => performance.now() } = deps
  const { maxWaitMs = defaultMaxWaitMs } = deps
  const limitById = new Map<string, TrackedLimit>()
  const renewal = { at: Number.NEGATIVE_INFINITY }

  const queueAllInUse = (): void => {
    for (const limit of limitById.values())
      for (const account of limit.accounts) if (!account.isEmpty) queue(account)
  }

  const onAnswered = (accounts: Iterable<Account>, { wasClosed }: ClaimReply): void => {
    for (const account of accounts) limitById.get(account.rule.id)?.dropIfUnused(account)
    if (wasClosed) queueAllInUse()
  }

  const claims = createClaimQueue({
    ...{ store, processId, renewal, wallMs, steadyMs, runInBackground, onAnswered },
  })
  const { queue } = claims

  const findBlocked = (accounts: readonly Account[], worstCase: Amounts, at: number) =>
    accounts.filter((account) => !account.canReserve(worstCase[account.rule.metric], at))

  const take = (accounts: readonly Account[], worstCase: Amounts, at: number): Reservation => {
    const holds: Hold[] = []
    for (const account of accounts) {
      holds.push(account.reserve(worstCase[account.rule.metric], at))
      queue(account)
    }
    return new Reservation({ holds, worstCase, queue })
  }

  const decide = (
    accounts: readonly Account[],
    worstCase: Amounts,
    { isAnswered, at }: { isAnswered: boolean; at: number },
  ): Admission => {
    const blocked = findBlocked(accounts, worstCase, at)
    if (blocked.length === 0) return take(accounts, worstCase, at)
    if (!isAnswered) {
      return admitsWithoutDatabase()
        ? take(accounts, worstCase, at)
        : ({ isAdmitted: false, blocked: null } satisfies Rejection)
    }
    const times = { steadyMs: at, at: wallMs() }
    const blocks = blocked.map((account) =>
      account.describeBlock(worstCase[account.rule.metric], times),
    )
    return { isAdmitted: false, blocked: findLastBlock(blocks) }
  }

  const waitForClaim = (accounts: readonly Account[], worstCase: Amounts): Promise<Admission> =>
    new Promise((resolve) => {
      for (const account of accounts) account.waiting.add(worstCase[account.rule.metric])
      let isFinished = false
      const finish: WaitingRequest["finish"] = (isAnswered, at) => {
        if (isFinished) return
        isFinished = true
        clearTimeout(timer)
        for (const account of accounts) account.waiting.remove(worstCase[account.rule.metric])
        resolve(decide(accounts, worstCase, { isAnswered, at }))
      }
      const timer = setTimeout(() => finish(false, steadyMs()), maxWaitMs).unref()
      claims.wait({ accounts, finish })
    })

  return {
    /** Registers a limit, or changes its rule; its sums stay. */
    track: (rule: LimitRule): TrackedLimit => {
      const known = limitById.get(rule.id)
      if (known) {
        known.update(rule)
        return known
      }
      const limit = new TrackedLimit(rule, { renewal, queue })
      limitById.set(rule.id, limit)
      return limit
    },

    /** Call when a limit was deleted. Its open reservations can still be settled. */
    untrack: (limitId: string): void => {
      limitById.delete(limitId)
    },

    /**
     * Reserves the worst case in all limits at once, or in none. Returns a promise only if the
     * slices of this process do not suffice; it never rejects.
     */
    reserve: (request: ReservationRequest): Admission | Promise<Admission> => {
      const { limits } = request
      const worstCase = limitAmounts(request.worstCase)
      const dateNow = wallMs()
      const steadyNow = steadyMs()
      let isWarm = true
      const accounts: Account[] = []
      for (const limit of limits) {
        const account = limit.accountAt(dateNow)
        accounts.push(account)
        // What waiting requests have asked for is left to them.
        const needed = worstCase[account.rule.metric] + account.waiting.sum
        isWarm &&= account.canReserve(needed, steadyNow)
      }
      return isWarm ? take(accounts, worstCase, steadyNow) : waitForClaim(accounts, worstCase)
    },

    /** A limit as this process knows it; null before its first claim. */
    describe: (limit: TrackedLimit, times: BlockTimes): LimitState | null =>
      limit.accountAt(times.at).describe(times.steadyMs, times.at),

    readClocks: (): BlockTimes => ({ steadyMs: steadyMs(), at: wallMs() }),

    renew: claims.renew,
    close: claims.close,
  }
}

export type Ledger = ReturnType<typeof createLedger>

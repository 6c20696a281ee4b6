import type { Account } from "./account.ts"
import type { ClaimReply, LedgerStore } from "./ledger-store.ts"
import { RateAccount } from "./rate-account.ts"
import { type Renewal, SliceAccount } from "./slice-account.ts"

/** In one transaction, besides those of waiting requests. */
const maxAccountsPerClaim = 500
/** A claim without accounts keeps the leases alive. */
const heartbeatMs = 1000
/** Without leases, others may take this process for dead, but must not forget what it reported. */
const idleHeartbeatMs = 3_600_000
/** Besides those of all accounts: requests that end during the shutdown are reported as well. */
const maxClosingClaims = 10
const taskName = "claim slices of limits"

/** A request that waits for the next claim. */
export interface WaitingRequest {
  accounts: readonly Account[]
  /** @param isAnswered whether the database answered @param at when it was asked, in monotonic ms */
  finish(isAnswered: boolean, at: number): void
}

interface Deps {
  store: LedgerStore
  processId: string
  renewal: Renewal
  wallMs: () => number
  steadyMs: () => number
  /** Logs and counts failures; `background/background-tasks.ts`. */
  runInBackground: (name: string, work: () => Promise<void>) => Promise<boolean>
  /** Called when a claim was answered. */
  onAnswered: (accounts: Iterable<Account>, reply: ClaimReply) => void
}

/** Claims slices for all accounts that changed, in one transaction at a time. */
export const createClaimQueue = (deps: Deps) => {
  const { store, processId, renewal, wallMs, steadyMs, runInBackground, onAnswered } = deps
  let queued: Account[] = []
  const leased = new Set<Account>()
  let waiting: WaitingRequest[] = []
  let running: Promise<boolean> | null = null
  let takesAhead = true

  const queue = (account: Account): void => {
    if (account.isQueued) return
    account.isQueued = true
    queued.push(account)
  }

  const takeQueued = (batch: readonly WaitingRequest[]): Set<Account> => {
    const accounts = new Set(batch.flatMap((request) => request.accounts))
    for (const account of queued) {
      if (accounts.size >= maxAccountsPerClaim) break
      accounts.add(account)
    }
    for (const account of accounts) account.isQueued = false
    queued = queued.filter((account) => account.isQueued)
    return accounts
  }

  const sendClaims = async (accounts: ReadonlySet<Account>): Promise<ClaimReply> => {
    const sentAt = steadyMs()
    const options = { steadyMs: sentAt, takesAhead }
    const slices = [...accounts].filter((account) => account instanceof SliceAccount)
    const rates = [...accounts].filter((account) => account instanceof RateAccount)
    const reply = await store.claim({
      processId,
      at: wallMs(),
      slices: slices.map((account) => account.createClaim(options)),
      rates: rates.map((account) => account.createClaim(options)),
    })
    renewal.at = sentAt
    const times = { takenAt: reply.at, sentAt }
    for (const [index, account] of slices.entries()) {
      account.acceptGrant(reply.slices[index] ?? null, times)
      if (account.isLeased) leased.add(account)
      else leased.delete(account)
    }
    for (const [index, account] of rates.entries())
      account.acceptGrant(reply.rates[index] ?? null, times)
    return reply
  }

  const claimBatch = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    const accounts = takeQueued(batch)
    const sentAt = steadyMs()
    let reply: ClaimReply | null = null
    try {
      reply = await sendClaims(accounts)
    } finally {
      for (const request of batch) request.finish(reply !== null, sentAt)
      for (const account of accounts) if (account.isDirty) queue(account)
      if (reply) onAnswered(accounts, reply)
    }
  }

  const claimUntilNobodyWaits = async (): Promise<void> => {
    do {
      // Each failure has answered those who waited for it.
      await claimBatch()
    } while (waiting.length > 0)
  }

  const isHeartbeatDue = (): boolean =>
    steadyMs() - renewal.at >= (leased.size > 0 ? heartbeatMs : idleHeartbeatMs)

  const start = (): Promise<boolean> => {
    running ??= runInBackground(taskName, claimUntilNobodyWaits).finally(() => {
      running = null
      if (waiting.length > 0) void start()
    })
    return running
  }

  return {
    /** Claims an account with the next regular claim. */
    queue,

    /** Claims the accounts of a request at once, or right after the claim under way. */
    wait: (request: WaitingRequest): void => {
      waiting.push(request)
      void start()
    },

    /**
     * Call several times a second: reports what was used, and returns what is not needed. Asks the
     * database for nothing while nothing is used.
     */
    renew: async (): Promise<void> => {
      await running
      if (queued.length > 0 || isHeartbeatDue()) await start()
    },

    /** Reports everything, and returns all slices without open reservations. */
    close: async (): Promise<void> => {
      takesAhead = false
      await running
      const rounds = Math.ceil(queued.length / maxAccountsPerClaim) + maxClosingClaims
      for (let round = 0; round < rounds && queued.length > 0; round++) if (!(await start())) return
    },
  }
}

import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createLedger } from "../../src/limits/ledger/ledger.ts"
import type { LedgerStore } from "../../src/limits/ledger/ledger-store.ts"
import type { LimitRule } from "../../src/limits/ledger/limit-rule.ts"
import { createSqlLedgerStore } from "../../src/limits/ledger/sql-ledger-store.ts"
import { chooseDatabases, type OpenedDatabase } from "../harness/databases.ts"
import { createChooser } from "../harness/random.ts"

const amount = 1000
const clientsPerLedger = 20
const renewMs = 50
/** Whenever so many requests have passed, a process is killed: a disk under load is slow. */
const killAfter = 200

const rule: LimitRule = {
  ...{ id: "limit", metric: "tokens", window: "month", mode: "hard", timeZone: "UTC" },
  rolling: false,
}
const worstCase = { requests: 1, tokens: 3, cost: 3, concurrency: 1 }
const used = { requests: 1, tokens: 1, cost: 1, concurrency: 0 }

/** What all clients have observed. */
interface Outcome {
  passed: number
  isSpent: boolean
}

interface ProcessOptions {
  store: LedgerStore
  processId: string
  outcome: Outcome
}

/** A ledger with clients that send requests until the limit is spent or the process ends. */
const startProcess = ({ store, processId, outcome }: ProcessOptions) => {
  const choose = createChooser(processId.length)
  const killed = new AbortController()
  const stopped = new AbortController()
  const ended = AbortSignal.any([killed.signal, stopped.signal])
  let lastClaim: Promise<unknown> = Promise.resolve()
  const ledger = createLedger({
    store: {
      ...store,
      claim: (request) => {
        if (killed.signal.aborted) return Promise.reject(new Error("The process was killed."))
        const claim = store.claim(request)
        lastClaim = claim.catch(() => {})
        return claim
      },
    },
    processId,
    runInBackground: (_name, work) =>
      work().then(
        () => true,
        () => false,
      ),
    // A disk under load may take longer than requests of users wait.
    maxWaitMs: 60_000,
  })
  const limits = [ledger.track(rule)]

  const sendRequest = async (): Promise<void> => {
    const admission = await ledger.reserve({ limits, worstCase })
    if (!admission.isAdmitted) {
      outcome.isSpent ||= admission.blocked?.reason === "spent"
      await sleep(10)
      return
    }
    // The provider counts a request also if the gateway dies meanwhile.
    outcome.passed++
    await sleep(choose.below(5))
    if (!killed.signal.aborted) admission.settle(used)
  }

  const runClient = async (): Promise<void> => {
    while (!outcome.isSpent && !ended.aborted) await sendRequest()
  }

  const timer = setInterval(() => void ledger.renew(), renewMs)
  const clients = Promise.all(Array.from({ length: clientsPerLedger }, runClient))

  return {
    processId,
    clients,

    /** What it had open is never settled. @returns a promise for the end of its last claim */
    kill: async (): Promise<void> => {
      killed.abort()
      clearInterval(timer)
      await clients
      await lastClaim
    },

    /** Returns what it holds. */
    stop: async (): Promise<void> => {
      stopped.abort()
      clearInterval(timer)
      await clients
      await ledger.close()
    },
  }
}

describe.each(chooseDatabases())("ledgers that share $name", ({ open }) => {
  let opened: OpenedDatabase
  beforeAll(async () => {
    opened = await open()
    const fields = { target_type: "everyone", target_id: null, model: null, metric: "tokens" }
    await opened.db.transact((tx) =>
      tx
        .insertInto("limits")
        .values({
          ...{ id: "limit", amount, time_window: "month", mode: "hard", time_zone: "UTC" },
          ...{ rolling: 0, raise_amount: null, raise_until_ms: null, arrival_ms: null },
          ...{ set_by: "administrator", group_id: null },
          ...{ created_ms: 0, updated_ms: 0 },
          ...fields,
        })
        .execute(),
    )
  })
  afterAll(() => opened.remove())

  it("spend no more than the limit while one after the other is killed, and nearly all of it", async () => {
    const store = createSqlLedgerStore(opened.db)
    const outcome: Outcome = { passed: 0, isSpent: false }
    let processes = 0
    const start = () => startProcess({ store, processId: `process ${++processes}`, outcome })

    const killed = new Set<string>()
    /** Before and after a last claim of a killed process, which takes its leases back. */
    const closeKilled = async (): Promise<void> => {
      for (const holder of await store.readHolders())
        if (killed.has(holder.processId)) await store.closeLeases(holder)
    }

    const live = [start(), start(), start()]
    const ending: Promise<void>[] = []
    for (const [index, victim] of [...live].entries()) {
      while (outcome.passed < (index + 1) * killAfter && !outcome.isSpent) await sleep(1)
      killed.add(victim.processId)
      ending.push(victim.kill())
      await closeKilled()
      live[index] = start()
    }
    await Promise.all(ending)
    await closeKilled()
    // One alone can use all that is left.
    for (const { stop } of live.splice(1)) await stop()
    for (const last of live) await last.clients.then(last.stop)

    const account = await opened.db.read
      .selectFrom("limit_accounts")
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(account.granted).toBe(0)
    expect(account.spent + account.written_off).toBeLessThanOrEqual(amount)
    expect(outcome.passed).toBeLessThanOrEqual(account.spent + account.written_off)
    expect(outcome.passed).toBeGreaterThan(0.75 * amount)
  })
})

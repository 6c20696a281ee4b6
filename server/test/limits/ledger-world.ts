import { setImmediate as runPending } from "node:timers/promises"
import { createLeaseWatch } from "../../src/limits/ledger/lease-watch.ts"
import { createLedger, type Ledger } from "../../src/limits/ledger/ledger.ts"
import type { ClaimReply, ClaimRequest, LedgerStore } from "../../src/limits/ledger/ledger-store.ts"
import type { Amounts, LimitRule } from "../../src/limits/ledger/limit-rule.ts"
import { type Period, periodAt } from "../../src/limits/ledger/periods.ts"
import { createChooser } from "../harness/random.ts"
import { createChangingLimits, type OnAmount } from "./changing-limits.ts"
import { createLedgerModel } from "./ledger-model.ts"
import { type Faults, StoreFault } from "./ledger-scenario.ts"
import { createMemoryLedgerStore } from "./memory-ledger-store.ts"
import { chooseUse, type OpenRequest, type Passage, type Process } from "./world-process.ts"

const start = Date.UTC(2026, 9, 24, 21)

type Reply = (outcome: "answer" | "lose request" | "lose reply") => Promise<void>

interface WorldOptions {
  createStore?: typeof createMemoryLedgerStore
  onAmount?: OnAmount
}

/** Runs random operations on several ledgers with one store, and compares them with a model. */
export const createWorld = (
  seed: number,
  faults: Faults,
  { createStore = createMemoryLedgerStore, onAmount = async () => {} }: WorldOptions = {},
) => {
  const choose = createChooser(seed)
  const limits = createChangingLimits({ choose, faults, onAmount })
  const { ruleByName, amounts, maxAmounts, softIds, callers } = limits
  const model = createLedgerModel()
  const blockedBy = new Set<string>()
  /** Not thrown, because admissions that waited have no caller who would notice. */
  const overspent: string[] = []
  const passages: Passage[] = []
  const pending: Reply[] = []
  const dead: Process[] = []
  let steady = 1000
  let jumped = 0
  let price = 1
  let processes = 0
  let admitted = 0
  let rejected = 0

  const store = createStore({
    amountOf: (id) => amounts.get(id),
    nowMs: () => start + steady + jumped,
  })

  /** Null if the store failed on purpose. */
  const answerClaim = (request: ClaimRequest): Promise<ClaimReply | null> =>
    store.claim(request).catch((error: unknown) => {
      if (error instanceof StoreFault) return null
      throw error
    })

  /** Claims wait until the test lets them pass. */
  const delayed: LedgerStore = {
    ...store,
    claim: (request) =>
      new Promise<ClaimReply>((resolve, reject) => {
        pending.push(async (outcome) => {
          const reply = outcome === "lose request" ? null : await answerClaim(request)
          if (reply && outcome === "answer") resolve(reply)
          else reject(new Error("the connection was lost"))
        })
      }),
  }

  /** As the registry does when a limit has changed. */
  const reload = ({ ledger, limitByName }: Process): void => {
    for (const [name, rule] of ruleByName) {
      const known = limitByName.get(name)
      if (known && known.rule.id !== rule.id) ledger.untrack(known.rule.id)
      limitByName.set(name, ledger.track(rule))
    }
  }

  const createProcess = (): Process => {
    const id = `process ${++processes}`
    const skewMs = choose.below(5) * 500
    const ledger = createLedger({
      store: delayed,
      processId: id,
      wallMs: () => start + steady + jumped + skewMs,
      steadyMs: () => steady,
      maxWaitMs: 2 ** 31 - 1,
      runInBackground: async (_name, work) =>
        work().then(
          () => true,
          () => false,
        ),
    })
    const process: Process = { id, ledger, open: [], skewMs, limitByName: new Map() }
    reload(process)
    return process
  }

  const live = [createProcess(), createProcess(), createProcess()]
  const checkAdmission = (limit: LimitRule, period: Period): void => {
    if (softIds.has(limit.id) || limit.window === "minute" || !amounts.has(limit.id)) return
    if (limit.metric === "concurrency" && faults.cutOff) return
    const total = model.totalOf(limit.id, period)
    const most = maxAmounts.get(limit.id) ?? 0
    if (total > most) overspent.push(`${limit.id} in ${period.key}: ${total} of ${most}`)
  }

  const recordAdmission = (
    process: Process,
    set: readonly LimitRule[],
    request: OpenRequest,
  ): void => {
    admitted++
    request.admittedAt = start + steady + jumped
    process.open.push(request)
    for (const [at, hold] of request.holds.entries()) {
      const limit = set[at]
      if (limit) checkAdmission(limit, hold.account.period)
    }
  }

  const reserve = (): void => {
    const process = choose.pick(live)
    const tracked = choose.pick(callers).flatMap((name) => process.limitByName.get(name) ?? [])
    const set = tracked.map(({ rule }) => rule)
    const tokens = 1 + choose.below(400)
    const worstCase = { requests: 1, tokens, cost: tokens * price, concurrency: 1 }
    const at = start + steady + jumped + process.skewMs
    const periods = set.map((limit) => periodAt(limit, at))
    const finish = (result: Awaited<ReturnType<Ledger["reserve"]>>): void => {
      if (!result.isAdmitted) {
        rejected++
        if (result.blocked) blockedBy.add(result.blocked.limitId)
        return
      }
      const holds = set.map((limit, index) =>
        model.reserve(limit, periods[index] ?? periodAt(limit, at), worstCase[limit.metric]),
      )
      recordAdmission(process, set, { reservation: result, holds, worstCase, admittedAt: 0 })
    }
    const result = process.ledger.reserve({ limits: tracked, worstCase })
    if (result instanceof Promise)
      void result.then((late) => live.includes(process) && finish(late))
    else finish(result)
  }

  const recordPassage = ({ holds, admittedAt }: OpenRequest, used: Amounts): void => {
    for (const { account, metric } of holds)
      if (account.period.key === "rate")
        passages.push({ limitId: account.limitId, at: admittedAt, used: used[metric] })
  }

  const settleRequest = (processId: string, request: OpenRequest): void => {
    const used = chooseUse(choose, { worstCase: request.worstCase, canOverrun: faults.overruns })
    request.reservation.settle(used)
    // A second settlement must not count.
    request.reservation.settle(request.worstCase)
    for (const hold of request.holds) model.settle(hold, used[hold.metric], processId)
    recordPassage(request, used)
  }

  const settle = (): void => {
    const process = choose.pick(live)
    if (process.open.length === 0) return
    const [request] = process.open.splice(choose.below(process.open.length), 1)
    if (request) settleRequest(process.id, request)
  }

  const crash = (): void => {
    const index = choose.below(live.length)
    const process = live[index]
    if (!process) return
    for (const request of process.open) {
      for (const hold of request.holds) {
        model.lose(hold, process.id)
        // Slots of a dead process are free: its requests have ended.
        if (hold.account.period.key === "slots") hold.account.open -= hold.amount
      }
      recordPassage(request, request.worstCase)
    }
    dead.push(process)
    live[index] = createProcess()
  }

  const isTakenForDead = (id: string): boolean =>
    faults.cutOff || dead.some((process) => process.id === id)
  const watch = createLeaseWatch({
    processId: "",
    steadyMs: () => steady,
    store: {
      closeLeases: store.closeLeases,
      readHolders: async () =>
        (await store.readHolders()).filter(({ processId }) => isTakenForDead(processId)),
    },
  })

  const passTime = (): void => {
    if (choose.chance(0.01)) steady += choose.pick([600_000, 1_800_000, 7_200_000])
    else steady += choose.pick([0.25, 1, 5, 10, 50, 200, 1000])
  }

  const jump = (): void => {
    if (faults.clockJumps) jumped += choose.pick([-86_400_000, -3_600_000, -500, 500, 3_600_000])
  }

  const answer = async (): Promise<void> => {
    const [reply] = pending.splice(choose.below(pending.length), 1)
    await reply?.(choose.chance(0.9) ? "answer" : choose.pick(["lose request", "lose reply"]))
  }

  const operations: [weight: number, run: () => unknown][] = [
    [30, reserve],
    [25, settle],
    [20, answer],
    [8, passTime],
    [8, () => void choose.pick(live).ledger.renew()],
    [4, watch.closeDead],
    [0.3, crash],
    [1, jump],
    [0.3, limits.changeAmount],
    [0.5, limits.changeMembership],
    [0.2, limits.rotateKey],
    [0.2, limits.changeRule],
    [0.1, limits.recreateLimit],
    [2, () => reload(choose.pick(live))],
    [0.5, () => (price = 1 + choose.below(5))],
  ]
  const totalWeight = operations.reduce((sum, [weight]) => sum + weight, 0)

  const step = async (): Promise<void> => {
    let left = choose.random() * totalWeight
    for (const [weight, run] of operations) {
      left -= weight
      if (left >= 0) continue
      await run()
      break
    }
    if (choose.chance(0.5)) await runPending()
    checkStore()
  }

  const checkStore = (): void => {
    for (const { limitId, spent, writtenOff, granted } of store.accounts()) {
      if (spent < 0 || writtenOff < 0 || granted < 0)
        throw new Error(`seed ${seed}: negative ${limitId}: ${spent}, ${writtenOff}, ${granted}`)
    }
  }

  const answerAll = async (): Promise<void> => {
    await runPending()
    while (pending.length > 0) {
      for (const reply of pending.splice(0)) await reply("answer")
      await runPending()
    }
  }

  const closeProcess = async ({ id, ledger, open }: Process): Promise<void> => {
    for (const request of open.splice(0)) settleRequest(id, request)
    let isClosed = false
    void ledger.close().then(() => {
      isClosed = true
    })
    while (!isClosed) await answerAll()
  }

  /** Settles everything, returns all slices, and closes the leases of dead processes. */
  const end = async (): Promise<void> => {
    await answerAll()
    for (const process of live) await closeProcess(process)
    for (const { id } of dead) {
      const heartbeat = store.holder(id)?.heartbeat
      if (heartbeat !== undefined) await store.closeLeases({ processId: id, heartbeat })
    }
  }

  return {
    ...{ step, end, model, store, live, dead, passages, blockedBy, overspent },
    /** Whether a limit exists, and has never been soft. */
    isDeleted: (limitId: string) => !amounts.has(limitId),
    isStrict: (limitId: string) => amounts.has(limitId) && !softIds.has(limitId),
    counts: () => ({ admitted, rejected }),
  }
}

export type World = ReturnType<typeof createWorld>

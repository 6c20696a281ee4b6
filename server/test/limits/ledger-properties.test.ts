import { setImmediate as runPending } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { createLedger, type Ledger } from "../../src/limits/ledger/ledger.ts"
import type { ClaimReply, LedgerStore } from "../../src/limits/ledger/ledger-store.ts"
import type { Amounts, LimitRule } from "../../src/limits/ledger/limit-rule.ts"
import { type Period, periodAt } from "../../src/limits/ledger/periods.ts"
import type { Reservation } from "../../src/limits/ledger/reservation.ts"
import { createChooser } from "../harness/random.ts"
import { amount as repetitions } from "../harness/short-and-long-form.ts"
import { createLedgerModel, type ModelHold } from "./ledger-model.ts"
import { createMemoryLedgerStore } from "./memory-ledger-store.ts"

const opsPerSeed = 6000
const start = Date.UTC(2026, 9, 24, 21)
const deadAfterMs = 10_000

const rule = (id: string, changes: Partial<LimitRule>): LimitRule => ({
  ...{ id, metric: "cost", window: "day", mode: "hard", timeZone: "Europe/Berlin", rolling: false },
  ...changes,
})

const rules: readonly LimitRule[] = [
  rule("everyone", { window: "month" }),
  rule("group", { window: "day" }),
  rule("user", { window: "hour", metric: "tokens" }),
  rule("key", { window: "total", metric: "requests" }),
  rule("model", { window: "hour", rolling: true }),
  rule("user and model", { window: "day", rolling: true, metric: "tokens" }),
  rule("in flight", { metric: "concurrency" }),
  rule("soft", { mode: "soft" }),
  rule("requests per minute", { metric: "requests", window: "minute" }),
  rule("tokens per minute", { metric: "tokens", window: "minute" }),
]

const initialAmounts: Record<string, number> = {
  everyone: 200_000,
  group: 60_000,
  user: 20_000,
  key: 3000,
  model: 30_000,
  "user and model": 50_000,
  "in flight": 12,
  soft: 50_000,
  "requests per minute": 600,
  "tokens per minute": 60_000,
}

interface Faults {
  overruns: boolean
  clockJumps: boolean
  /** Live processes may be cut off for so long that others take them for dead. */
  cutOff: boolean
}

interface OpenRequest {
  reservation: Reservation
  holds: ModelHold[]
  worstCase: Amounts
  admittedAt: number
}

interface Process {
  id: string
  ledger: Ledger
  open: OpenRequest[]
  skewMs: number
}

/** What passed a limit per minute. */
interface Passage {
  limitId: string
  at: number
  used: number
}

type Reply = (outcome: "answer" | "lose request" | "lose reply") => Promise<void>

/** Runs random operations on several ledgers with one store, and compares them with a model. */
const createWorld = (seed: number, faults: Faults) => {
  const choose = createChooser(seed)
  const model = createLedgerModel()
  const amounts = new Map(Object.entries(initialAmounts))
  const maxAmounts = new Map(amounts)
  const passages: Passage[] = []
  const pending: Reply[] = []
  const dead: Process[] = []
  let steady = 1000
  let jumped = 0
  let price = 1
  let processes = 0
  let admitted = 0
  let rejected = 0

  const store = createMemoryLedgerStore({
    amountOf: (id) => amounts.get(id),
    nowMs: () => start + steady + jumped,
  })

  /** Claims wait until the test lets them pass. */
  const delayed: LedgerStore = {
    ...store,
    claim: (request) =>
      new Promise<ClaimReply>((resolve, reject) => {
        pending.push(async (outcome) => {
          const reply = outcome === "lose request" ? null : await store.claim(request)
          if (reply && outcome === "answer") resolve(reply)
          else reject(new Error("the connection was lost"))
        })
      }),
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
    return { id, ledger, open: [], skewMs }
  }

  const live = [createProcess(), createProcess(), createProcess()]
  /** The limits of three callers; keys and groups change them. */
  const setsOfLimits = [rules, rules.slice(0, 6), [...rules.slice(2, 5), ...rules.slice(8)]].map(
    (set) => [...set],
  )

  const checkAdmission = (limit: LimitRule, period: Period): void => {
    if (limit.mode === "soft" || limit.window === "minute") return
    if (limit.metric === "concurrency" && faults.cutOff) return
    const total = model.totalOf(limit.id, period)
    if (total > (maxAmounts.get(limit.id) ?? 0)) {
      throw new Error(`seed ${seed}: ${limit.id} has ${total} of ${maxAmounts.get(limit.id)}`)
    }
  }

  const recordAdmission = (process: Process, set: LimitRule[], request: OpenRequest): void => {
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
    const set = [...choose.pick(setsOfLimits)]
    const tokens = 1 + choose.below(400)
    const worstCase = { requests: 1, tokens, cost: tokens * price, concurrency: 1 }
    const at = start + steady + jumped + process.skewMs
    const limits = set.map((limit) => process.ledger.track(limit))
    const finish = (result: Awaited<ReturnType<Ledger["reserve"]>>): void => {
      if (!result.isAdmitted) {
        rejected++
        return
      }
      const holds = set.map((limit) =>
        model.reserve(limit.id, periodAt(limit, at), worstCase[limit.metric]),
      )
      recordAdmission(process, set, { reservation: result, holds, worstCase, admittedAt: 0 })
    }
    const result = process.ledger.reserve({ limits, worstCase })
    if (result instanceof Promise)
      void result.then((late) => live.includes(process) && finish(late))
    else finish(result)
  }

  const chooseUse = (worst: Amounts): Amounts => {
    const kind = choose.below(10)
    if (kind === 0) return { requests: 0, tokens: 0, cost: 0, concurrency: 0 }
    const isOverrun = faults.overruns && kind === 1
    const tokens = isOverrun ? worst.tokens * 2 : choose.below(worst.tokens + 1)
    const cost = Math.floor((worst.cost * tokens) / worst.tokens)
    return { requests: 1, tokens, cost, concurrency: 0 }
  }

  const recordPassage = ({ holds, admittedAt }: OpenRequest, used: Amounts): void => {
    for (const { account } of holds) {
      const limit = rules.find(({ id }) => id === account.limitId)
      if (limit?.window === "minute")
        passages.push({ limitId: limit.id, at: admittedAt, used: used[limit.metric] })
    }
  }

  const settleRequest = (process: Process, request: OpenRequest): void => {
    const used = chooseUse(request.worstCase)
    request.reservation.settle(used)
    // A second settlement must not count.
    request.reservation.settle(request.worstCase)
    for (const hold of request.holds) {
      const limit = rules.find(({ id }) => id === hold.account.limitId)
      if (limit) model.settle(hold, used[limit.metric], process.id)
    }
    recordPassage(request, used)
  }

  const settle = (): void => {
    const process = choose.pick(live)
    if (process.open.length === 0) return
    const [request] = process.open.splice(choose.below(process.open.length), 1)
    if (request) settleRequest(process, request)
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

  const observed = new Map<string, { heartbeat: number; since: number }>()
  const closeDead = async (): Promise<void> => {
    for (const holder of await store.readHolders()) {
      const known = observed.get(holder.processId)
      if (known?.heartbeat !== holder.heartbeat)
        observed.set(holder.processId, { heartbeat: holder.heartbeat, since: steady })
      else if (steady - known.since >= deadAfterMs) {
        const isDead = dead.some(({ id }) => id === holder.processId)
        if (isDead || faults.cutOff) await store.closeLeases(holder)
      }
    }
  }

  const changeAmount = (): void => {
    const limit = choose.pick(rules)
    const initial = initialAmounts[limit.id] ?? 0
    if (limit.window === "minute") return
    const changed = Math.floor(initial * (0.5 + choose.random()))
    amounts.set(limit.id, changed)
    maxAmounts.set(limit.id, Math.max(changed, maxAmounts.get(limit.id) ?? 0))
  }

  const changeMembership = (): void => {
    const set = choose.pick(setsOfLimits)
    if (set.length > 3 && choose.chance(0.5)) set.splice(choose.below(set.length), 1)
    else
      set.splice(0, set.length, ...rules.filter((one) => set.includes(one) || choose.chance(0.3)))
  }

  const passTime = (): void => {
    steady += choose.pick([0.25, 1, 5, 50, 200, 1000, choose.chance(0.02) ? 600_000 : 10])
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
    [4, closeDead],
    [0.3, crash],
    [0.2, jump],
    [0.3, changeAmount],
    [0.5, changeMembership],
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

  /** Settles everything, returns all slices, and closes the leases of dead processes. */
  const end = async (): Promise<void> => {
    await answerAll()
    for (const process of live) {
      for (const request of process.open.splice(0)) settleRequest(process, request)
      const closed = process.ledger.close()
      while (!(await Promise.race([closed.then(() => true), answerAll().then(() => false)])));
    }
    for (const { id } of dead) {
      const heartbeat = store.holder(id)?.heartbeat
      if (heartbeat !== undefined) await store.closeLeases({ processId: id, heartbeat })
    }
  }

  return { step, end, model, store, live, dead, passages, counts: () => ({ admitted, rejected }) }
}

type World = ReturnType<typeof createWorld>

/** Everything that live processes settled is counted once, and dead ones lose nothing. */
const checkSums = ({ store, model, live }: World): void => {
  const liveIds = new Set(live.map(({ id }) => id))
  for (const stored of store.accounts()) {
    expect(stored.granted, stored.limitId).toBe(0)
    if (stored.period.key === "slots") continue
    const expected = model.accounts.get(`${stored.limitId} ${stored.period.key}`)
    let reported = 0
    for (const [processId, amount] of stored.reportedByProcess) {
      reported += amount
      const settled = expected?.settledByProcess.get(processId) ?? 0
      if (liveIds.has(processId)) expect(amount, stored.limitId).toBe(settled)
      else expect(amount).toBeLessThanOrEqual(settled)
    }
    expect(stored.spent).toBe(reported)
    // Soft limits reserve nothing, so a dead process loses what it had not reported yet.
    if (stored.limitId === "soft") continue
    const total = expected?.settled ?? 0
    expect(stored.spent + stored.writtenOff + (expected?.overrun ?? 0)).toBeGreaterThanOrEqual(
      total,
    )
  }
}

/** A leaky bucket of what was really used, at the time at which it was admitted. */
const checkRates = ({ passages }: World): void => {
  for (const limitId of ["requests per minute", "tokens per minute"]) {
    const amount = initialAmounts[limitId] ?? 0
    let level = 0
    let last = 0
    const ofLimit = passages.filter((one) => one.limitId === limitId)
    for (const { at, used } of ofLimit.toSorted((one, other) => one.at - other.at)) {
      level = Math.max(0, level - ((at - last) * amount) / 60_000) + used
      last = at
      expect(level, limitId).toBeLessThanOrEqual(amount + 1e-3)
    }
  }
}

describe("the ledger, compared with a model that knows no slices", () => {
  const seeds = Array.from({ length: repetitions(6, 24) }, (_, index) => index + 1)
  it.each(seeds)(
    "never overspends, and neither loses nor repeats a settlement (seed %i)",
    async (seed) => {
      const faults = {
        overruns: seed % 3 === 1,
        clockJumps: seed % 2 === 0,
        cutOff: seed % 3 === 2,
      }
      const world = createWorld(seed, faults)
      for (let done = 0; done < opsPerSeed; done++) await world.step()
      await world.end()
      checkSums(world)
      if (!faults.overruns && !faults.clockJumps) checkRates(world)
      expect(world.counts().admitted).toBeGreaterThan(100)
      expect(world.counts().rejected).toBeGreaterThan(100)
    },
  )
})

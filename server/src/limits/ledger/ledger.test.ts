import { setImmediate as runPending } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { createMemoryLedgerStore } from "../../../test/limits/memory-ledger-store.ts"
import { createLedger } from "./ledger.ts"
import type { ClaimReply, LedgerStore } from "./ledger-store.ts"
import type { Amounts, LimitRule } from "./limit-rule.ts"
import { Reservation } from "./reservation.ts"

const dayMs = 86_400_000

const rule = (changes: Partial<LimitRule>): LimitRule => ({
  ...{ id: "limit", metric: "cost", window: "day", mode: "hard", timeZone: "UTC", rolling: false },
  ...changes,
})

const amounts = (cost: number): Amounts => ({ requests: 1, tokens: cost, cost, concurrency: 1 })

const createWorld = (amount: number) => {
  let wall = Date.UTC(2026, 10, 28, 12)
  let steady = 0
  const store = createMemoryLedgerStore({ amountOf: () => amount, nowMs: () => wall })
  /** Claims wait here while they are held up. */
  const delayed: (() => void)[] = []
  let mode: "answer" | "fail" | "delay" = "answer"
  const controlled: LedgerStore = {
    ...store,
    claim: async (request): Promise<ClaimReply> => {
      if (mode === "fail") throw new Error("connection lost")
      if (mode === "delay") await new Promise<void>((resolve) => delayed.push(resolve))
      return store.claim(request)
    },
  }
  const open = (processId: string, admitsWithoutDatabase = false) =>
    createLedger({
      store: controlled,
      processId,
      admitsWithoutDatabase: () => admitsWithoutDatabase,
      wallMs: () => wall,
      steadyMs: () => steady,
      runInBackground: (_name, work) =>
        work().then(
          () => true,
          () => false,
        ),
    })
  return {
    open,
    store,
    setMode: (next: typeof mode) => {
      mode = next
      if (next !== "delay") for (const resume of delayed.splice(0)) resume()
    },
    passTime: (ms: number) => {
      wall += ms
      steady += ms
    },
    setClock: (ms: number) => {
      wall += ms
    },
    spent: () => store.accounts().map((account) => account.spent),
  }
}

type Opened = ReturnType<ReturnType<typeof createWorld>["open"]>

const admit = async (ledger: Opened, limitRule: LimitRule, cost: number): Promise<Reservation> => {
  const limits = [ledger.track(limitRule)]
  const admission = await ledger.reserve({ limits, worstCase: amounts(cost) })
  if (!admission.isAdmitted) throw new Error(`rejected by ${JSON.stringify(admission.blocked)}`)
  return admission
}

describe("a ledger", () => {
  it("reserves from its slice without asking", async () => {
    const { open } = createWorld(1_000_000)
    const ledger = open("one")
    await admit(ledger, rule({}), 1000)
    const limits = [ledger.track(rule({}))]
    expect(ledger.reserve({ limits, worstCase: amounts(1000) })).toBeInstanceOf(Reservation)
  })

  it("reserves in all limits or in none", async () => {
    const { open, store, passTime } = createWorld(100)
    const ledger = open("one")
    await admit(ledger, rule({ id: "full" }), 100)
    const limits = ["free", "full"].map((id) => ledger.track(rule({ id })))
    const rejected = await ledger.reserve({ limits, worstCase: amounts(10) })
    expect(rejected).toMatchObject({ blocked: { limitId: "full", reason: "reserved" } })
    passTime(1000)
    await ledger.renew()
    const granted = store.accounts().map(({ limitId, granted }) => [limitId, granted])
    expect(granted).toEqual([
      ["full", 100],
      ["free", 0],
    ])
  })

  it("names the limit for which the request waits until last", async () => {
    const { open } = createWorld(100)
    const ledger = open("one")
    const rules = [
      rule({}),
      rule({ id: "month", window: "month" }),
      rule({ id: "hour", window: "hour" }),
    ]
    for (const one of rules) (await admit(ledger, one, 100)).settle(amounts(100))
    const limits = rules.map((one) => ledger.track(one))
    expect(await ledger.reserve({ limits, worstCase: amounts(1) })).toMatchObject({
      blocked: { limitId: "month", reason: "spent", passesAt: Date.UTC(2026, 11, 1) },
    })
  })

  it("settles a reservation once, in the period in which it was made", async () => {
    const { open, passTime, spent } = createWorld(100)
    const ledger = open("one")
    const reservation = await admit(ledger, rule({}), 80)
    passTime(dayMs)
    await admit(ledger, rule({}), 50)
    expect(reservation.settle(amounts(70))).toBe(false)
    expect(reservation.settle(amounts(70))).toBe(false)
    await ledger.renew()
    expect(spent()).toEqual([70, 0])
  })

  it("charges what was used beyond the reservation in full, and says so", async () => {
    const { open, passTime, spent } = createWorld(100)
    const ledger = open("one")
    const reservation = await admit(ledger, rule({}), 80)
    expect(reservation.settle(amounts(150))).toBe(true)
    passTime(1000)
    await ledger.renew()
    expect(spent()).toEqual([150])
  })

  it("leaves a grant to the requests that waited for it", async () => {
    const { open, setMode } = createWorld(100)
    const ledger = open("one")
    const first = await admit(ledger, rule({}), 60)
    first.cancel()
    setMode("delay")
    const large = admit(ledger, rule({}), 80)
    const small = admit(ledger, rule({}), 40)
    setMode("answer")
    expect(await large).toBeInstanceOf(Reservation)
    await expect(small).rejects.toThrow("reserved")
  })

  it("counts once what it uses after the clock was set back to an earlier period", async () => {
    const { open, passTime, setClock, spent } = createWorld(1000)
    const ledger = open("one")
    for (const change of [0, dayMs, -dayMs, dayMs, -dayMs]) {
      setClock(change)
      ;(await admit(ledger, rule({}), 50)).settle(amounts(10))
      passTime(1000)
      await ledger.renew()
    }
    expect(spent()).toEqual([30, 20])
  })

  it("counts what it uses without the database in an account that it had dropped", async () => {
    const { open, passTime, setClock, setMode, spent } = createWorld(10)
    const ledger = open("one", true)
    for (const change of [0, dayMs, -dayMs]) {
      setClock(change)
      if (change < 0) setMode("fail")
      ;(await admit(ledger, rule({}), 4)).settle(amounts(4))
      setMode("answer")
      passTime(1000)
      await ledger.renew()
      await ledger.renew()
    }
    expect(spent()).toEqual([8, 4])
  })

  it("counts requests of a soft limit that end in a later period", async () => {
    const { open, passTime, setClock, spent } = createWorld(1000)
    const ledger = open("one")
    const soft = rule({ mode: "soft" })
    const reservation = await admit(ledger, soft, 50)
    const move = async (ms: number): Promise<void> => {
      setClock(ms)
      ;(await admit(ledger, soft, 50)).settle(amounts(10))
      passTime(1000)
      await ledger.renew()
    }
    for (const ms of [0, dayMs, -dayMs]) await move(ms)
    reservation.settle(amounts(20))
    await ledger.close()
    expect(spent()).toEqual([40, 10])
  })

  it("admits to a soft limit until its amount is spent", async () => {
    const { open } = createWorld(100)
    const ledger = open("one")
    const soft = rule({ mode: "soft" })
    const reservations = [await admit(ledger, soft, 500), await admit(ledger, soft, 500)]
    reservations[0]?.settle(amounts(99))
    reservations[1]?.settle(amounts(0))
    ;(await admit(ledger, soft, 500)).settle(amounts(500))
    await expect(admit(ledger, soft, 1)).rejects.toThrow("spent")
  })

  it("uses its slice up without the database, then rejects or admits as it was set", async () => {
    for (const admits of [false, true]) {
      const { open, setMode, passTime, spent } = createWorld(1_000_000)
      const ledger = open("one", admits)
      ;(await admit(ledger, rule({}), 1000)).settle(amounts(0))
      setMode("fail")
      await admit(ledger, rule({}), 900)
      const late = admit(ledger, rule({}), 900_000)
      if (!admits) await expect(late).rejects.toThrow("rejected by null")
      else {
        ;(await late).settle(amounts(900_000))
        setMode("answer")
        passTime(1000)
        await ledger.renew()
        expect(spent()).toEqual([900_000])
      }
    }
  })

  it("takes its slices back after others took it for dead, and returns what is idle", async () => {
    const { open, store, passTime } = createWorld(1000)
    const ledger = open("one")
    const reservation = await admit(ledger, rule({}), 500)
    passTime(20_000)
    await ledger.renew()
    const [holder] = await store.readHolders()
    if (holder) await store.closeLeases(holder)
    expect(store.accounts()).toMatchObject([{ writtenOff: 510, granted: 0 }])
    reservation.settle(amounts(100))
    for (let second = 0; second < 5; second++) {
      passTime(1000)
      await ledger.renew()
    }
    expect(store.accounts()).toMatchObject([{ spent: 100, writtenOff: 0, granted: 0 }])
  })

  it("counts its requests in flight again after others took it for dead", async () => {
    const { open, store, passTime } = createWorld(10)
    const ledger = open("one")
    await admit(ledger, rule({ metric: "concurrency" }), 1)
    for (let second = 0; second < 5; second++) {
      passTime(1000)
      await ledger.renew()
    }
    const [holder] = await store.readHolders()
    if (holder) await store.closeLeases(holder)
    expect(store.accounts()).toMatchObject([{ granted: 0 }])
    for (let second = 0; second < 2; second++) {
      passTime(1000)
      await ledger.renew()
    }
    expect(store.accounts()).toMatchObject([{ granted: 1 }])
  })

  it("admits nothing from its slots when it has not reached the database for 5 seconds", async () => {
    const { open, passTime, setMode } = createWorld(10_000)
    const ledger = open("one")
    const slots = rule({ metric: "concurrency" })
    const reservation = await admit(ledger, slots, 1)
    setMode("fail")
    reservation.cancel()
    await admit(ledger, slots, 1)
    passTime(5000)
    await expect(admit(ledger, slots, 1)).rejects.toThrow("rejected by null")
  })

  it("does not use tokens of a minute that it took ahead more than a second ago", async () => {
    const { open, passTime, setMode } = createWorld(6000)
    const ledger = open("one")
    const rate = rule({ metric: "requests", window: "minute" })
    const limits = [ledger.track(rate)]
    const worstCase = amounts(1)
    // All of them wait for the same claim, which takes as many ahead.
    const admissions = [1, 2, 3].map(() => ledger.reserve({ limits, worstCase }))
    await Promise.all(admissions)
    await admit(ledger, rate, 1)
    setMode("fail")
    passTime(900)
    await admit(ledger, rate, 1)
    passTime(200)
    await expect(admit(ledger, rate, 1)).rejects.toThrow("rejected by null")
  })

  it("claims one account of a period at a time, also if the limit changed during a claim", async () => {
    const { open, passTime, setMode, store } = createWorld(10)
    const ledger = open("one")
    ;(await admit(ledger, rule({}), 5)).cancel()
    passTime(1000)
    setMode("delay")
    const renewed = ledger.renew()
    await runPending()
    ledger.track(rule({ window: "hour" }))
    setMode("answer")
    await renewed
    await admit(ledger, rule({}), 4)
    expect(store.accounts()).toMatchObject([{ granted: 4 }])
  })

  it("leaves to others what does not suffice for a request, and says how much that is", async () => {
    const { open, store } = createWorld(1000)
    const ledger = open("one")
    const limit = ledger.track(rule({}))
    expect(await ledger.reserve({ limits: [limit], worstCase: amounts(1001) })).toMatchObject({
      blocked: { needed: 1001, available: 1000 },
    })
    expect(store.accounts()[0]?.granted).toBeLessThanOrEqual(20)
    await admit(open("two"), rule({}), 900)
    const rejection = await ledger.reserve({ limits: [limit], worstCase: amounts(500) })
    const available = rejection.isAdmitted ? 0 : (rejection.blocked?.available ?? 0)
    expect(available).toBeGreaterThan(90)
    await admit(ledger, rule({}), available)
  })

  it("keeps no more of an unused slice than it may take ahead", async () => {
    const { open, passTime, store } = createWorld(1000)
    const ledger = open("one")
    const reservations: Reservation[] = []
    for (let request = 0; request < 10; request++)
      reservations.push(await admit(ledger, rule({}), 100))
    for (const reservation of reservations) reservation.settle(amounts(10))
    passTime(250)
    await ledger.renew()
    expect(store.accounts()).toMatchObject([{ spent: 100, granted: 18 }])
  })

  it("charges amounts that are no numbers as nothing, and goes on", async () => {
    const { open, passTime, spent } = createWorld(1000)
    const ledger = open("one")
    const reservation = await admit(ledger, rule({}), 10)
    reservation.settle(amounts(Number.NaN))
    await expect(admit(ledger, rule({}), Number.POSITIVE_INFINITY)).rejects.toThrow("rejected")
    ;(await admit(ledger, rule({}), Number.NaN)).settle(amounts(-7))
    ;(await admit(ledger, rule({}), 20)).settle(amounts(20.5))
    passTime(1000)
    await ledger.renew()
    expect(spent()).toEqual([21])
  })

  it("gives slots that it does not use up after it was cut off", async () => {
    const { open, passTime, setMode, store } = createWorld(2)
    const ledger = open("one")
    const slots = rule({ metric: "concurrency" })
    const reservations = [await admit(ledger, slots, 1), await admit(ledger, slots, 1)]
    setMode("fail")
    reservations[0]?.cancel()
    passTime(20_000)
    const [holder] = await store.readHolders()
    if (holder) await store.closeLeases(holder)
    setMode("answer")
    await admit(open("two"), slots, 1)
    await ledger.renew()
    expect(store.accounts()).toMatchObject([{ granted: 2 }])
  })

  it("reports all accounts when it is closed, however many they are", async () => {
    const usedByLimit = new Map<string, number>()
    const ledger = createLedger({
      store: {
        ...createWorld(1000).store,
        claim: async ({ slices, at }) => {
          for (const { limitId, used } of slices) usedByLimit.set(limitId, used)
          const grant = { spent: 0, reserved: 0, amount: 1000, oldestCountsUntil: null }
          const grants = slices.map(({ keep, need }) => ({
            ...grant,
            granted: Math.max(keep, need),
          }))
          return { at, slices: grants, rates: [], wasClosed: false }
        },
      },
      processId: "one",
      runInBackground: async (_name, work) => work().then(() => true),
    })
    const limits = Array.from({ length: 7000 }, (_, index) =>
      ledger.track(rule({ id: `limit ${index}` })),
    )
    const admission = await ledger.reserve({ limits, worstCase: amounts(10) })
    if (admission.isAdmitted) admission.settle(amounts(3))
    await ledger.close()
    expect([...usedByLimit.values()].filter((used) => used === 3)).toHaveLength(7000)
  })

  it("returns everything when it is closed", async () => {
    const { open, store } = createWorld(1_000_000)
    const ledger = open("one")
    for (let request = 0; request < 50; request++)
      (await admit(ledger, rule({}), 1000)).settle(amounts(3))
    await ledger.close()
    expect(store.accounts()).toMatchObject([{ spent: 150, granted: 0 }])
  })
})

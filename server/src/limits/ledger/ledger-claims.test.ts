import { setImmediate as runPending } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import {
  admit,
  amounts,
  createLedgers,
  dayMs,
  rule,
} from "../../../test/limits/controlled-ledgers.ts"
import { createLedger } from "./ledger.ts"
import { Reservation } from "./reservation.ts"

describe("the claims of a ledger", () => {
  it("leaves a grant to the requests that waited for it", async () => {
    const { open, setMode } = createLedgers(100)
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

  it("knows what it has used while the claim that reports it is not answered", async () => {
    const { open, setMode, passTime } = createLedgers(100)
    const ledger = open("one")
    const spent = () => ledger.describe(ledger.track(rule({})), ledger.readClocks())?.spent
    ;(await admit(ledger, rule({}), 60)).settle(amounts(60))
    setMode("delay")
    passTime(1000)
    const renewing = ledger.renew()
    await runPending()
    expect(spent()).toBe(60)
    setMode("answer")
    await renewing
    expect(spent()).toBe(60)
  })

  it("counts what it uses without the database in an account that it had dropped", async () => {
    const { open, passTime, setClock, setMode, spent } = createLedgers(10)
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

  it("uses its slice up without the database, then rejects or admits as it was set", async () => {
    for (const admits of [false, true]) {
      const { open, setMode, passTime, spent } = createLedgers(1_000_000)
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
    const { open, store, passTime } = createLedgers(1000)
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
    const { open, store, passTime } = createLedgers(10)
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
    const { open, passTime, setMode } = createLedgers(10_000)
    const ledger = open("one")
    const slots = rule({ metric: "concurrency" })
    const reservation = await admit(ledger, slots, 1)
    setMode("fail")
    reservation.cancel()
    await admit(ledger, slots, 1)
    passTime(5000)
    await expect(admit(ledger, slots, 1)).rejects.toThrow("rejected by null")
  })

  it("claims one account of a period at a time, also if the limit changed during a claim", async () => {
    const { open, passTime, setMode, store } = createLedgers(10)
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
    const { open, store } = createLedgers(1000)
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
    const { open, passTime, store } = createLedgers(1000)
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
    const { open, passTime, spent } = createLedgers(1000)
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
    const { open, passTime, setMode, store } = createLedgers(2)
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
        ...createLedgers(1000).store,
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
    const { open, store } = createLedgers(1_000_000)
    const ledger = open("one")
    for (let request = 0; request < 50; request++)
      (await admit(ledger, rule({}), 1000)).settle(amounts(3))
    await ledger.close()
    expect(store.accounts()).toMatchObject([{ spent: 150, granted: 0 }])
  })
})

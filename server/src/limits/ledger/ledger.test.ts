import { describe, expect, it } from "vitest"
import {
  admit,
  amounts,
  createLedgers,
  dayMs,
  rule,
} from "../../../test/limits/controlled-ledgers.ts"
import { Reservation } from "./reservation.ts"

describe("a ledger", () => {
  it("reserves from its slice without asking", async () => {
    const { open } = createLedgers(1_000_000)
    const ledger = open("one")
    await admit(ledger, rule({}), 1000)
    const limits = [ledger.track(rule({}))]
    expect(ledger.reserve({ limits, worstCase: amounts(1000) })).toBeInstanceOf(Reservation)
  })

  it("reserves in all limits or in none", async () => {
    const { open, store, passTime } = createLedgers(100)
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
    const { open } = createLedgers(100)
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
    const { open, passTime, spent } = createLedgers(100)
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
    const { open, passTime, spent } = createLedgers(100)
    const ledger = open("one")
    const reservation = await admit(ledger, rule({}), 80)
    expect(reservation.settle(amounts(150))).toBe(true)
    passTime(1000)
    await ledger.renew()
    expect(spent()).toEqual([150])
  })

  it("counts once what it uses after the clock was set back to an earlier period", async () => {
    const { open, passTime, setClock, spent } = createLedgers(1000)
    const ledger = open("one")
    for (const change of [0, dayMs, -dayMs, dayMs, -dayMs]) {
      setClock(change)
      ;(await admit(ledger, rule({}), 50)).settle(amounts(10))
      passTime(1000)
      await ledger.renew()
    }
    expect(spent()).toEqual([30, 20])
  })

  it("counts requests of a soft limit that end in a later period", async () => {
    const { open, passTime, setClock, spent } = createLedgers(1000)
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
    const { open } = createLedgers(100)
    const ledger = open("one")
    const soft = rule({ mode: "soft" })
    const reservations = [await admit(ledger, soft, 500), await admit(ledger, soft, 500)]
    reservations[0]?.settle(amounts(99))
    reservations[1]?.settle(amounts(0))
    ;(await admit(ledger, soft, 500)).settle(amounts(500))
    await expect(admit(ledger, soft, 1)).rejects.toThrow("spent")
  })

  it("does not use tokens of a minute that it took ahead more than a second ago", async () => {
    const { open, passTime, setMode } = createLedgers(6000)
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
})

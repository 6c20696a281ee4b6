import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../../test/harness/databases.ts"
import type { SliceClaim } from "./ledger-store.ts"
import type { LimitRule } from "./limit-rule.ts"
import { periodAt } from "./periods.ts"
import { createSqlLedgerStore } from "./sql-ledger-store.ts"

const at = Date.UTC(2026, 10, 28, 12)
const dayMs = 86_400_000

const rule = (changes: Partial<LimitRule>): LimitRule => ({
  ...{ id: "limit", metric: "cost", window: "day", mode: "hard", timeZone: "UTC", rolling: false },
  ...changes,
})
const day = periodAt(rule({}), at)
const slots = periodAt(rule({ metric: "concurrency" }), at)

const claimOf = (changes: Partial<SliceClaim>): SliceClaim => ({
  ...{
    limitId: "limit",
    period: day,
    opening: 1,
    used: 0,
    reported: 0,
    waiting: [],
    keep: 0,
    need: 0,
    ahead: 0,
  },
  ...changes,
})

const rateClaimOf = (need: number, refund = 0, refundSince = 0) => ({
  ...{ limitId: "rate", waiting: Array.from({ length: need }, () => 1) },
  ...{ ahead: 0, charge: 0, refund, refundSince },
})

describe.each(chooseDatabases())("accounts and leases on $name", ({ open }) => {
  let opened: OpenedDatabase
  let store: ReturnType<typeof createSqlLedgerStore>

  beforeAll(async () => {
    opened = await open()
    store = createSqlLedgerStore(opened.db)
  })
  afterAll(() => opened.remove())

  const addLimit = (id: string, changes: { amount?: number; time_window?: string } = {}) =>
    opened.db.transact(async (tx) => {
      await tx
        .insertInto("limits")
        .values({
          ...{ id, target_type: "everyone", target_id: null, model: null, metric: "cost" },
          ...{ amount: 1000, time_window: "day", mode: "hard", time_zone: "UTC", rolling: 0 },
          ...{ raise_amount: null, raise_until_ms: null, arrival_ms: null },
          ...{ set_by: "administrator", group_id: null },
          ...{ created_ms: at, updated_ms: at },
          ...changes,
        })
        .execute()
    })

  beforeEach(async () => {
    await opened.db.transact(async (tx) => {
      await tx.deleteFrom("limits").execute()
      await tx.deleteFrom("limit_processes").execute()
    })
    await addLimit("limit")
  })

  const claim = async (processId: string, changes: Partial<SliceClaim>, time = at) => {
    const slices = [claimOf(changes)]
    const reply = await store.claim({ processId, at: time, slices, rates: [] })
    return reply.slices[0]
  }

  const accounts = () => opened.db.read.selectFrom("limit_accounts").selectAll().execute()

  const close = async (processId: string): Promise<boolean> => {
    const holder = (await store.readHolders()).find((one) => one.processId === processId)
    return holder ? store.closeLeases(holder) : false
  }

  it("grants no more than is left, to all processes together", async () => {
    expect(await claim("one", { need: 700 })).toMatchObject({ granted: 700, reserved: 700 })
    expect(await claim("two", { need: 700 })).toMatchObject({ granted: 300, reserved: 1000 })
    expect(await claim("one", { used: 600, keep: 0, need: 0 })).toMatchObject({ granted: 0 })
    expect(await claim("two", { keep: 300, need: 900 })).toMatchObject({ granted: 400, spent: 600 })
  })

  it("grants a waiting request what it needs or nothing", async () => {
    const waiting = [900, 300, 200, 100]
    expect(await claim("one", { need: 1600, waiting })).toMatchObject({ granted: 1000 })
    await claim("one", { used: 600 })
    expect(await claim("one", { used: 600, need: 401, waiting: [401] })).toMatchObject({
      ...{ granted: 0, reserved: 0 },
    })
  })

  it("grants to claims that arrive at the same time no more than is left", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `process ${index}`)
    const grants = await Promise.all(names.map((name) => claim(name, { need: 90 })))
    expect(grants.reduce((sum, grant) => sum + (grant?.granted ?? 0), 0)).toBe(1000)
    expect((await accounts()).map(({ granted }) => granted)).toEqual([1000])
  })

  it("takes at most 2 % of what is left ahead", async () => {
    expect(await claim("one", { need: 500, ahead: 400 })).toMatchObject({ granted: 510 })
  })

  it("counts a claim that is repeated once", async () => {
    await claim("one", { need: 500 })
    await claim("one", { used: 200, keep: 300, need: 300 })
    expect(await claim("one", { used: 200, keep: 300, need: 300 })).toMatchObject({
      ...{ granted: 300, spent: 200, reserved: 300 },
    })
  })

  it("counts what an account used that was opened again", async () => {
    await claim("one", { used: 200 })
    expect(await claim("one", { used: 50, opening: 2 })).toMatchObject({ spent: 250 })
  })

  it("never takes back what a process keeps, even if the amount was reduced", async () => {
    await claim("one", { need: 800 })
    await opened.db.transact((tx) => tx.updateTable("limits").set({ amount: 100 }).execute())
    expect(await claim("one", { keep: 800, need: 900 })).toMatchObject({
      granted: 800,
      amount: 100,
    })
    expect(await claim("two", { need: 1 })).toMatchObject({ granted: 0 })
  })

  it("ends a raise at its time", async () => {
    await opened.db.transact((tx) =>
      tx
        .updateTable("limits")
        .set({ raise_amount: 2000, raise_until_ms: at + 1 })
        .execute(),
    )
    expect(await claim("one", { need: 1500 })).toMatchObject({ granted: 1500 })
    expect(await claim("two", { need: 100 }, at + 1)).toMatchObject({ granted: 0, amount: 1000 })
  })

  it("writes off what a dead process was granted", async () => {
    await claim("one", { need: 700 })
    await claim("one", { used: 100, keep: 600, need: 600 })
    expect(await close("one")).toBe(true)
    expect(await claim("two", { need: 1000 })).toMatchObject({ granted: 300, spent: 700 })
    expect(await close("one")).toBe(false)
  })

  it("gives a process that returns its leases back", async () => {
    await claim("one", { need: 700 })
    await close("one")
    const reply = await store.claim({ processId: "one", at, slices: [], rates: [] })
    expect(reply.wasClosed).toBe(true)
    expect(await claim("one", { used: 100, keep: 50, need: 50 })).toMatchObject({
      ...{ granted: 50, spent: 100, reserved: 50 },
    })
    expect(await accounts()).toMatchObject([{ spent: 100, written_off: 0, granted: 50 }])
  })

  it("does not close the leases of a process that has made a claim since", async () => {
    await claim("one", { need: 700 })
    const [holder] = await store.readHolders()
    await claim("one", { keep: 700, need: 700 })
    expect(holder && (await store.closeLeases(holder))).toBe(false)
  })

  it("frees the slots of a dead process", async () => {
    await addLimit("slots", { amount: 3 })
    await claim("one", { limitId: "slots", period: slots, need: 3 })
    expect(await claim("two", { limitId: "slots", period: slots, need: 1 })).toMatchObject({
      granted: 0,
    })
    await close("one")
    expect(await claim("two", { limitId: "slots", period: slots, need: 1 })).toMatchObject({
      ...{ granted: 1, spent: 0, reserved: 1 },
    })
  })

  it("adds up the buckets of a rolling window, also within one claim", async () => {
    const rolling = rule({ rolling: true })
    const periods = [0, 1, 47].map((bucket) => periodAt(rolling, at + bucket * 1_800_000))
    const slices = periods.map((period) => claimOf({ period, need: 400 }))
    const reply = await store.claim({ processId: "one", at, slices, rates: [] })
    expect(reply.slices.map((grant) => grant?.granted)).toEqual([400, 400, 200])
    const afterFirst = periodAt(rolling, at + dayMs + 1_800_000)
    expect(await claim("two", { period: afterFirst, need: 900 })).toMatchObject({ granted: 400 })
  })

  it("answers null for a limit that was deleted", async () => {
    expect(await claim("one", { limitId: "deleted", need: 1 })).toBeNull()
  })

  it("lets the burst of a minute pass, then as many as drain", async () => {
    await addLimit("rate", { amount: 60, time_window: "minute" })
    const take = async (need: number) => {
      const rates = [rateClaimOf(need)]
      return (await store.claim({ processId: "one", at, slices: [], rates })).rates[0]?.granted
    }
    expect(await take(45)).toBe(45)
    expect(await take(45)).toBeLessThanOrEqual(17)
    expect(await take(45)).toBeLessThanOrEqual(2)
  })

  it("takes unused tokens of a minute back", async () => {
    await addLimit("rate", { amount: 60, time_window: "minute" })
    const claimRate = (rate: ReturnType<typeof rateClaimOf>) =>
      store.claim({ processId: "one", at, slices: [], rates: [rate] })
    const first = await claimRate(rateClaimOf(60))
    const second = await claimRate(rateClaimOf(50, 60, first.at))
    expect(second.rates[0]?.granted).toBe(50)
  })

  const leases = () => opened.db.read.selectFrom("limit_leases").selectAll().execute()
  const processes = () => opened.db.read.selectFrom("limit_processes").selectAll().execute()

  it("deletes accounts and dead processes that no longer count", async () => {
    const hour = periodAt(rule({ window: "hour", rolling: true }), at)
    await claim("one", { used: 5 })
    await claim("one", { used: 5, period: hour })
    await close("one")
    await store.deleteEnded(at + dayMs)
    expect(await accounts()).toHaveLength(2)
    await store.deleteEnded(at + 20 * dayMs)
    expect(await accounts()).toMatchObject([{ period: day.key }])
    await store.deleteEnded(at + 40 * dayMs)
    expect(await accounts()).toHaveLength(0)
    expect(await processes()).toEqual([])
  })

  it("deletes any number of accounts and leases", async () => {
    const of = (index: number) => periodAt(rule({ rolling: true }), at + index * 1_800_000)
    const periods = Array.from({ length: 1200 }, (_, index) => of(index))
    const slices = periods.map((period) => claimOf({ period, used: 1 }))
    await store.claim({ processId: "one", at, slices, rates: [] })
    await close("one")
    await store.deleteEnded(at)
    await store.deleteEnded(at + 2 * dayMs)
    expect([(await accounts()).length, await leases()]).toEqual([1200, []])
    await store.deleteEnded(at + 100 * dayMs)
    expect([await accounts(), await processes()]).toEqual([[], []])
  })

  it("keeps what is spent of a limit without end, but no lease of each process that ended", async () => {
    const period = periodAt(rule({ window: "total" }), at)
    for (const name of ["one", "two", "three"]) {
      await claim(name, { period, used: 5, need: 10 })
      await close(name)
    }
    await claim("live", { period, used: 5 })
    await store.deleteEnded(at)
    await store.deleteEnded(at + 2 * dayMs)
    expect(await leases()).toMatchObject([{ process_id: "live" }])
    expect(await accounts()).toMatchObject([{ spent: 20, written_off: 30 }])
    await store.deleteEnded(at + 40 * dayMs)
    expect(await processes()).toMatchObject([{ id: "live" }])
  })

  it("does not count twice what a process reported that returns after its leases were deleted", async () => {
    await claim("one", { used: 100, need: 50 })
    await close("one")
    await store.deleteEnded(at)
    await store.deleteEnded(at + 2 * dayMs)
    expect(await leases()).toEqual([])
    const returned = { used: 130, reported: 100, keep: 20, need: 20 }
    expect(await claim("one", returned)).toMatchObject({ granted: 20, spent: 180 })
    expect(await claim("one", { ...returned, used: 140, reported: 130 })).toMatchObject({
      spent: 190,
    })
  })

  it("stays readable whatever was reported", async () => {
    const most = Number.MAX_SAFE_INTEGER
    const periods = [0, 1].map((bucket) =>
      periodAt(rule({ rolling: true }), at + bucket * 1_800_000),
    )
    for (const opening of [1, 2, 3])
      for (const period of periods) await claim("one", { period, opening, used: most, keep: most })
    const period = periods[0] ?? day
    expect(await claim("two", { period, need: 1 })).toMatchObject({ granted: 0 })
  })

  it("closes all leases at the start of the only process", async () => {
    await claim("one", { need: 300 })
    await claim("two", { need: 300 })
    await store.closeAllLeases()
    expect(await accounts()).toMatchObject([{ written_off: 600, granted: 0 }])
  })
})

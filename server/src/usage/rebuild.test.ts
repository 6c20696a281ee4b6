import { randomUUIDv7 } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { clearUsage, createUsageRow, writeUsage } from "../../test/harness/usage-records.ts"
import type { RequestCost } from "./charged-request.ts"
import { createUsageRebuild } from "./rebuild.ts"
import type { UsageRecord } from "./record-queue.ts"
import { UsageQuery } from "./schema.ts"
import { createUsageStore } from "./store.ts"
import { createUsageSummation } from "./sum-usage.ts"
import { createUsageSumsStore, type SumsDatabase } from "./sums-store.ts"

// On SQLite, a thread with low priority reads: it can be slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const hour = 3600
const day = 24 * hour
/** Midnight, UTC. */
const today = 20_000 * day
const now = today + 20 * day

describe.each(chooseDatabases())("the rebuilding of sums on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())
  beforeEach(() => clearUsage(database.db))

  const write = (records: readonly UsageRecord[]) => writeUsage(database.db, records)
  const sum = () => {
    const store = createUsageSumsStore({ db: database.db, newId: randomUUIDv7 })
    return createUsageSummation({ store, now: () => now })()
  }
  const outdated = () => database.db.read.selectFrom("usage_outdated").selectAll().execute()
  const total = async () => {
    const query = { ...UsageQuery.parse({ group_by: "none" }), from: today, to: now }
    return (await createUsageStore(database.db).sumUsage(query))[0]
  }
  const count = async () => (await total())?.requests ?? 0

  const createRebuild = (db: SumsDatabase, requestCost: RequestCost = () => null) =>
    createUsageRebuild({
      ...{ db, requestCost, connectionsById: new Map(), newId: randomUUIDv7 },
      now: () => now,
    })

  it("drops a day of whose hours nothing is left", async () => {
    await write([createUsageRow({ at: today }), createUsageRow({ at: today + day })])
    await sum()
    await database.db.transact(async (tx) => {
      await tx
        .deleteFrom("usage")
        .where("at", "<", today + day)
        .execute()
      await tx.deleteFrom("usage_outdated").execute()
      const ofHours = tx.deleteFrom("usage_sums").where("part", "<>", "day")
      await ofHours.where("start", "<", today + day).execute()
    })
    expect(await count()).toBe(2)
    expect(await createRebuild(database.db).sum({ from: today, to: now })).toEqual({
      ...{ hours: 1, days: 2 },
    })
    expect(await count()).toBe(1)
  })

  it("marks hours in short transactions that do not read the records", async () => {
    const { db } = database
    await write(Array.from({ length: 250 }, (_, n) => createUsageRow({ at: today + n * hour })))
    await sum()
    const marked: number[] = []
    const transactRelaxed: SumsDatabase["transactRelaxed"] = (work) =>
      db.transactRelaxed(async (tx) => {
        const before = await tx.selectFrom("usage_outdated").select("start").execute()
        const result = await work(tx)
        const after = await tx.selectFrom("usage_outdated").select("start").execute()
        marked.push(after.length - before.length)
        return result
      })
    await createRebuild({ ...db, transactRelaxed }).sum({ from: today, to: now })
    expect(Math.max(...marked)).toBeLessThanOrEqual(100)
    expect(marked.slice(0, 4)).toEqual([11, 100, 100, 50])
    expect(await outdated()).toEqual([])
  })

  it("keeps what was deleted by a process that knows no sums", async () => {
    const at = (seconds: number) => createUsageRow({ at: today + seconds, cost: 3 })
    await write([at(0), at(10), at(20)])
    await sum()
    const before = await total()
    await database.db.transact((tx) =>
      tx
        .deleteFrom("usage")
        .where("at", "<", today + 20)
        .execute(),
    )
    expect(await total()).toEqual(before)
    await write([at(30)])
    await sum()
    await createRebuild(database.db).sum({ from: today, to: now })
    expect(await total()).toMatchObject({ requests: 4, cost: 12, tokens_in: 40, unpriced: 0 })
  })
})

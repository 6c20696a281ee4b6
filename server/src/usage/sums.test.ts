import { randomUUIDv7 } from "node:crypto"
import type { Insertable } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { clearUsage, createUsageRow, writeUsage } from "../../test/harness/usage-records.ts"
import type { UsageRow } from "../db/tables.ts"
import { createRecordDeletion } from "./record-deletion.ts"
import { UsageQuery, type UsageTotal } from "./schema.ts"
import { createUsageStore, type UsageStore } from "./store.ts"
import { createUsageSummation } from "./sum-usage.ts"
import { createUsageSumsStore, type UsageSumsStore } from "./sums-store.ts"
import { createUsageExport } from "./usage-export.ts"

// On SQLite, a thread with low priority reads: it can be slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const hour = 3600
const day = 24 * hour
/** Midnight, UTC. */
const today = 20_000 * day
const now = today + 10 * day

type Record = Insertable<UsageRow>

/** Repeatable random numbers below `limit`. */
const createRandom = () => {
  let state = 42
  return (limit: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * limit)
  }
}

const random = createRandom()
const pick = <T>(values: readonly T[]): T => {
  const value = values[random(values.length)]
  if (value === undefined) throw new Error("There is nothing to pick from")
  return value
}

const createRecord = (overrides: Partial<Record> = {}): Record =>
  createUsageRow({
    at: today + random(3 * day),
    user_id: pick(["ada", "bob", ""]),
    key_id: pick([null, "k"]),
    group_id: pick([null, "g", "h"]),
    model: pick(["m", "n", "o"]),
    connection_id: pick([null, "c"]),
    outcome: pick(["ok", "ok", "upstream_error"]),
    attempts: pick([null, 1, 2]),
    tokens_in: random(10_000_000_000),
    tokens_cache_read: pick([null, 5]),
    cost: pick([null, 0, random(1_000_000_000)]),
    time_to_first_token_ms: pick([null, 30, 50]),
    duration_ms: random(1000),
    ...overrides,
  })

describe.each(chooseDatabases())("sums of usage on $name", ({ open }) => {
  let database: OpenedDatabase
  let store: UsageStore
  let sumsStore: UsageSumsStore

  beforeAll(async () => {
    database = await open()
    store = createUsageStore(database.db)
    sumsStore = createUsageSumsStore({ db: database.db, newId: randomUUIDv7 })
  })
  afterAll(() => database.remove())
  beforeEach(() => clearUsage(database.db))

  const write = (records: readonly Record[]) => writeUsage(database.db, records)
  const sum = (at = now) => createUsageSummation({ store: sumsStore, now: () => at })()
  const deleteRecords = (before: number) => createRecordDeletion(database.db)(before)
  const outdated = () =>
    database.db.read.selectFrom("usage_outdated").select(["part", "start"]).execute()

  const report = (query: object, span = { from: today, to: today + 3 * day }) =>
    store.sumUsage({ ...UsageQuery.parse(query), ...span })

  const spans = [
    { from: today, to: today + 3 * day },
    { from: today - day + 17, to: today + day + 5 * hour + 1 },
    { from: today + hour + 1, to: today + hour + 2 },
    { from: today + hour + 1800, to: today + 2 * hour + 1800 },
    { from: today + 10, to: today + 2 * day },
    { from: today + 23 * hour, to: today + 25 * hour },
  ]
  const queries = [
    { group_by: "none" },
    { group_by: "hour" },
    { group_by: "day" },
    { group_by: "month" },
    { group_by: "user", interval: "day" },
    { group_by: "model", interval: "month" },
    { group_by: "group" },
    { group_by: "key", user_id: "ada" },
    { group_by: "connection", model: "m", outcome: "ok" },
    { group_by: "outcome", group_id: "g", interval: "hour" },
    { group_by: "model", user_id: "", key_id: "" },
  ]
  const reportAll = async (): Promise<UsageTotal[][]> => {
    const reports: UsageTotal[][] = []
    for (const span of spans) for (const query of queries) reports.push(await report(query, span))
    return reports
  }
  const count = async (query: object = {}): Promise<number> =>
    (await report({ group_by: "none", ...query }))[0]?.requests ?? 0

  it("equal the records, in every state between records and sums", async () => {
    await write(Array.from({ length: 400 }, () => createRecord()))
    const expected = await reportAll()
    const byUser = await report({ group_by: "user" })
    expect(expected.flat().length).toBeGreaterThan(200)
    await sum(today + 30 * hour)
    expect(await reportAll()).toEqual(expected)
    await sum()
    expect(await reportAll()).toEqual(expected)
    expect(await outdated()).toEqual([])
    // Nothing is read from records any more, except at the edges.
    await database.db.transact((tx) => tx.deleteFrom("usage").execute())
    expect(await report({ group_by: "user" })).toEqual(byUser)
  })

  it("are narrowed to what has no user, group, key or connection", async () => {
    const none = { user_id: "", group_id: null, key_id: null, connection_id: null }
    const some = { user_id: "ada", group_id: "g", key_id: "k", connection_id: "c" }
    await write([
      createUsageRow({ at: today, ...some }),
      ...Object.keys(none).map((name) =>
        createUsageRow({ at: today, ...some, [name]: none[name as keyof typeof none] }),
      ),
    ])
    const counts = () => Promise.all(Object.keys(none).map((name) => count({ [name]: "" })))
    expect(await counts()).toEqual([1, 1, 1, 1])
    await sum()
    expect(await counts()).toEqual([1, 1, 1, 1])
  })

  it("contain records that arrive after their hour was summed", async () => {
    await write([createRecord({ at: today }), createRecord({ at: today + hour })])
    await sum()
    await write([createRecord({ at: today + 5 })])
    expect(await count()).toBe(3)
    expect(await outdated()).toEqual([{ part: "hour", start: today }])
    expect(await sum()).toEqual({ hours: 1, days: 1 })
    expect(await count()).toBe(3)
  })

  it("are made of hours and days that are over", async () => {
    await write([createRecord({ at: today }), createRecord({ at: today + hour })])
    expect(await sum(today + hour + 29)).toEqual({ hours: 0, days: 0 })
    expect(await sum(today + hour + 30)).toEqual({ hours: 1, days: 0 })
    expect(await sum(today + day + 29)).toEqual({ hours: 1, days: 0 })
    expect(await sum(today + day + 30)).toEqual({ hours: 0, days: 1 })
  })

  it("count each record once if several processes sum, write and delete", async () => {
    const records = Array.from({ length: 300 }, () => createRecord())
    const chunks = Array.from({ length: 30 }, (_, n) => records.slice(n * 10, n * 10 + 10))
    const writing = (async () => {
      for (const chunk of chunks) await write(chunk)
    })()
    const working = Promise.all(
      Array.from({ length: 3 }, async (_, n) => {
        for (let round = 0; round < 5; round++) {
          await sum()
          await deleteRecords(today + (round + n) * 12 * hour)
        }
      }),
    )
    await Promise.all([writing, working])
    expect(await count()).toBe(300)
    await sum()
    await deleteRecords(today + 4 * day)
    await sum()
    const [total] = await report({ group_by: "none" })
    const sumOf = (column: "tokens_in" | "cost" | "duration_ms") =>
      records.reduce((all, record) => all + Number(record[column] ?? 0), 0)
    expect(total).toMatchObject({
      ...{ requests: 300, tokens_in: sumOf("tokens_in"), cost: sumOf("cost") },
      duration_ms: sumOf("duration_ms") / 300,
    })
  })

  it("stay when their records are deleted, in whole hours", async () => {
    await write(Array.from({ length: 1200 }, () => createRecord()))
    const expected = await reportAll()
    const wholeHours = (reports: UsageTotal[][]) => [
      ...reports.slice(0, queries.length),
      ...reports.slice(5 * queries.length),
    ]
    await sum(today + day)
    await deleteRecords(today + day + 2 * hour + 1800)
    const { first } = await database.db.read
      .selectFrom("usage")
      .select(({ fn }) => fn.min("at").as("first"))
      .executeTakeFirstOrThrow()
    expect(first).toBeGreaterThanOrEqual(today + day + 2 * hour)
    expect(first).toBeLessThan(today + day + 4 * hour)
    expect(wholeHours(await reportAll())).toEqual(wholeHours(expected))
    await sum()
    expect(wholeHours(await reportAll())).toEqual(wholeHours(expected))
    // A record of an hour whose others are gone.
    await write([createRecord({ at: today + 5 })])
    expect(await count()).toBe(1201)
    await sum()
    await deleteRecords(today + 10 * day)
    expect(await count()).toBe(1201)
    await sum()
    expect(await count()).toBe(1201)
  })

  it("are the largest safe integer where they would be larger", async () => {
    const largest = Number.MAX_SAFE_INTEGER
    const expectLargest = async () => {
      expect(await report({ group_by: "none" })).toMatchObject([{ cost: largest }])
      const ranking = { top: 1, by: "cost" } as const
      const query = { ...UsageQuery.parse({ group_by: "model" }), from: today, to: now }
      expect(await store.sumUsage(query, ranking)).toMatchObject([{ cost: largest }])
      const text = await createUsageExport(database.db).month("2024-10")
      expect(text).toContain(",9007199.254740991,")
    }
    const costly = (cost: number) =>
      createUsageRow({ at: today, cost, tokens_in: largest, tokens_out: largest })
    await write([costly(largest), costly(2)])
    await expectLargest()
    await sum()
    expect(await outdated()).toEqual([])
    await expectLargest()
    // On PostgreSQL, this many exceed 64 bits too.
    await write(Array.from({ length: 1100 }, () => costly(largest)))
    await expectLargest()
    await sum()
    await deleteRecords(today + day)
    await expectLargest()
    await write([costly(largest)])
    await deleteRecords(today + day)
    await sum()
    await expectLargest()
    expect(await count()).toBe(1103)
  })

  it("do not replace newer ones: what changes while it is summed stays outdated", async () => {
    await write([createRecord({ at: today })])
    const [before] = await sumsStore.findOutdated("hour", { from: 0, to: now }, 10)
    if (!before) throw new Error("Nothing is outdated")
    await write([createRecord({ at: today + 1 })])
    expect(await sumsStore.sum(before)).toBe(false)
    expect(await sum()).toEqual({ hours: 1, days: 1 })
    expect(await sumsStore.sum(before)).toBe(false)
    expect(await count()).toBe(2)
  })
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createUsageRow } from "../../test/harness/usage-records.ts"
import { createRecordQueue, type UsageRecord } from "./record-queue.ts"
import { UsageQuery } from "./schema.ts"
import { createUsageStore, type UsageStore } from "./store.ts"

const day = 86_400
/** Midnight of a day, UTC. */
const today = 20_000 * day

const record = (own: Partial<UsageRecord>): UsageRecord => createUsageRow({ at: today, ...own })

describe.each(chooseDatabases())("usage on $name", ({ open }) => {
  let database: OpenedDatabase
  let store: UsageStore

  beforeAll(async () => {
    database = await open()
    store = createUsageStore(database.db)
    const recorder = createRecordQueue({ db: database.db, background: createTestBackground() })
    for (const row of [
      record({ at: today - 1, duration_ms: 50 }),
      record({ key_id: "k1", time_to_first_token_ms: 20, group_id: "g1" }),
      record({ key_id: "k1", time_to_first_token_ms: 40, outcome: "upstream_error" }),
      record({ user_id: "Bob", model: "Z", connection_id: null, tokens_in: 3_000_000_000 }),
      record({ user_id: "bob", model: "ä", at: today + day - 1, tokens_in: 3_000_000_000 }),
    ]) {
      recorder.enqueue(row)
    }
    await recorder.close()
  })
  afterAll(() => database.remove())

  const sums = (query: Record<string, string>, span = { from: 0, to: 10 * today }) =>
    store.sumUsage({ ...UsageQuery.parse(query), ...span })

  it("is summed by the days of UTC, counts beyond 32 bits included", async () => {
    const days = await sums({})
    expect(days.map(({ key, requests }) => [key, requests])).toEqual([
      ["2024-10-03", 1],
      ["2024-10-04", 4],
    ])
    expect(days[1]).toMatchObject({ tokens_in: 6_000_000_020, tokens_out: 20, errors: 1 })
    expect(days[1]).toMatchObject({ duration_ms: 100, time_to_first_token_ms: 30 })
    expect(days[0]?.time_to_first_token_ms).toBeNull()
  })

  it.each([
    ["model", ["Z", "m", "ä"]],
    ["user", ["Bob", "ada", "bob"]],
    ["key", [null, "k1"]],
    ["group", [null, "g1"]],
    ["connection", [null, "c"]],
  ])("is summed by %s, in order of bytes, what has none first", async (group_by, keys) => {
    expect((await sums({ group_by })).map(({ key }) => key)).toEqual(keys)
  })

  it("is narrowed to a span, a user, a key or a model", async () => {
    const count = async (query: Record<string, string>, span?: { from: number; to: number }) =>
      (await sums(query, span)).reduce((sum, { requests }) => sum + requests, 0)
    expect(await count({}, { from: today, to: today + day - 1 })).toBe(3)
    expect(await count({}, { from: today + day - 1, to: today + day })).toBe(1)
    expect(await count({ user_id: "bob" })).toBe(1)
    expect(await count({ key_id: "k1" })).toBe(2)
    expect(await count({ group_id: "g1" })).toBe(1)
    expect(await count({ model: "m", user_id: "ada" })).toBe(3)
    expect(await count({ model: "%" })).toBe(0)
  })

  it("counts what records of earlier versions lack as 0", async () => {
    const recorder = createRecordQueue({ db: database.db, background: createTestBackground() })
    const unknown = { tokens_cache_read: null, tokens_reasoning: null, attempts: null }
    recorder.enqueue(record({ ...unknown, model: "earlier" }))
    recorder.enqueue(record({ ...unknown, model: "both" }))
    recorder.enqueue(record({ tokens_reasoning: 3, attempts: 2, model: "both" }))
    await recorder.close()
    const [earlier] = await sums({ model: "earlier", group_by: "group" })
    expect(earlier).toMatchObject({
      ...{ key: null, tokens_in: 10, tokens_cache_read: 0, tokens_reasoning: 0, attempts: 0 },
    })
    const [both] = await sums({ model: "both", group_by: "model" })
    expect(both).toMatchObject({ tokens_in: 20, tokens_reasoning: 3, attempts: 2 })
  })

  it("is summed with what is known of its cost", async () => {
    const recorder = createRecordQueue({ db: database.db, background: createTestBackground() })
    const tokens = { tokens_in: 0, tokens_out: 0 }
    for (const row of [
      record({ model: "priced", cost: 3_000_000_000_000 }),
      record({ model: "priced", cost: 3_000_000_000_001 }),
      record({ model: "priced", cost: 0, ...tokens }),
      record({ model: "priced", cost: null }),
      // Neither of these used tokens that a provider charges for.
      record({ model: "priced", cost: null, ...tokens }),
      record({ model: "priced", cost: null, connection_id: null }),
    ]) {
      recorder.enqueue(row)
    }
    await recorder.close()
    expect(await sums({ model: "priced", group_by: "model" })).toMatchObject([
      { requests: 6, cost: 6_000_000_000_001, unpriced: 1 },
    ])
    expect(await sums({ model: "m", group_by: "model" })).toMatchObject([{ cost: 0, unpriced: 3 }])
  })

  it("is kept though one record of many is no good, or was written before", async () => {
    const recorder = createRecordQueue({ db: database.db, background: createTestBackground() })
    const twice = record({ model: "kept" })
    recorder.enqueue(twice)
    await recorder.flush()
    for (let n = 0; n < 70; n++) recorder.enqueue(record({ model: "kept" }))
    recorder.enqueue(twice)
    recorder.enqueue(record({ model: "kept", duration_ms: Number.NaN }))
    for (let n = 0; n < 29; n++) recorder.enqueue(record({ model: "kept" }))
    await recorder.flush()
    expect([recorder.queuedCount(), recorder.dropped()]).toEqual([0, 1])
    expect(await sums({ model: "kept", group_by: "model" })).toMatchObject([{ requests: 100 }])
    await recorder.close()
  })
})

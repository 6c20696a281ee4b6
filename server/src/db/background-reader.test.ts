import { sql } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import type { Database } from "./database.ts"

const countTo = (db: Database, last: number) =>
  sql<{ count: number }>`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${last})
    select count(*) as count from numbers`.execute(db.backgroundReader)

describe.each(chooseDatabases())("the background reader on $name", ({ open }) => {
  let database: OpenedDatabase
  let db: Database

  beforeAll(async () => {
    database = await open()
    db = database.db
  })
  afterAll(() => database.remove())

  it("does not block the event loop", async () => {
    let ticks = 0
    const tick = () => {
      ticks += 1
      next = setTimeout(tick)
    }
    let next = setTimeout(tick)
    const { rows } = await countTo(db, 1_000_000)
    clearTimeout(next)
    expect(rows).toEqual([{ count: 1_000_000 }])
    // Counting on the event loop would leave time for one or two.
    expect(ticks).toBeGreaterThan(10)
  })

  it("sees the last committed write", async () => {
    await db.transact((tx) =>
      tx.insertInto("settings").values({ name: "background", value: "ü", updated_at: 1 }).execute(),
    )
    const row = db.backgroundReader
      .selectFrom("settings")
      .select("value")
      .where("name", "=", "background")
    expect(await row.executeTakeFirst()).toEqual({ value: "ü" })
  })

  it("keeps working after a failed query", async () => {
    const wrong = sql`select 1 from nowhere`.execute(db.backgroundReader)
    await expect(wrong).rejects.toThrow(/nowhere/)
    expect((await countTo(db, 3)).rows).toEqual([{ count: 3 }])
  })

  it("gives concurrent callers each their own result", async () => {
    const counts = Array.from({ length: 50 }, (_, n) => n + 1)
    const answers = await Promise.all(counts.map((n) => countTo(db, n)))
    expect(answers.map(({ rows }) => rows[0]?.count)).toEqual(counts)
  })
})

const embedded = chooseDatabases().filter(({ name }) => name === "SQLite")

describe.each(embedded)("the background reader's thread on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeEach(async () => {
    database = await open()
  })

  it("rejects writes", async () => {
    const { backgroundReader } = database.db
    await expect(backgroundReader.deleteFrom("settings").execute()).rejects.toThrow(/readonly/)
    await expect(backgroundReader.transaction().execute(async () => {})).rejects.toThrow(
      /read-only/,
    )
    await database.remove()
  })

  it("rejects pending queries when it is closed", async () => {
    const refused = expect(countTo(database.db, 1_000_000)).rejects.toThrow(/closed/)
    await database.remove()
    await refused
  })
})

import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createUsageRow } from "../../test/harness/usage-records.ts"
import { createAppender } from "./appender.ts"
import type { Database } from "./database.ts"
import { openDatabase } from "./open.ts"

const record = (id: string, model = "llama") =>
  createUsageRow({
    id,
    model,
    connection_id: null,
    tokens_out: 2 ** 40,
    request_id: `request of ${id}`,
  })

const append = (db: Database, rows: readonly ReturnType<typeof record>[]) =>
  db.append(
    "usage",
    rows.map((row) => JSON.stringify(row)),
  )

describe.each(chooseDatabases())("appended rows on $name", ({ open }) => {
  let database: OpenedDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  const storedRows = (prefix: string) =>
    database.db.read
      .selectFrom("usage")
      .selectAll()
      .where("id", "like", `${prefix}%`)
      .orderBy("id")
      .execute()

  it("are stored unchanged", async () => {
    const rows = [record("given 1", `"quoted", 'twice' \\ ünïcode 😀\n`), record("given 2", "")]
    await append(database.db, rows)
    expect(await storedRows("given")).toEqual(rows)
  })

  it("never overwrite existing rows", async () => {
    await append(database.db, [record("there 1", "first")])
    await append(database.db, [record("there 1", "second"), record("there 2", "second")])
    expect((await storedRows("there")).map(({ model }) => model)).toEqual(["first", "second"])
  })

  it("are stored all or none", async () => {
    const bad = record("none 2")
    Reflect.set(bad, "model", null)
    const adding = append(database.db, [record("none 1"), bad, record("none 3")])
    await expect(adding).rejects.toThrow(/null/i)
    expect(await storedRows("none")).toEqual([])
    await append(database.db, [record("none 1")])
    expect(await storedRows("none")).toHaveLength(1)
  })

  it("are all stored when appended concurrently with transactions", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `many ${String(n).padStart(2, "0")}`)
    await Promise.all(
      ids.map((id, n) =>
        n % 2 === 0
          ? append(database.db, [record(id)])
          : database.db.transact((tx) => tx.insertInto("usage").values(record(id)).execute()),
      ),
    )
    expect((await storedRows("many")).map(({ id }) => id)).toEqual(ids)
  })
})

it("appending waits for SQLite's lock without blocking the event loop", async () => {
  const db = await openDatabase({ DATA_DIR: mkdtempSync(join(tmpdir(), "portico-append-")) })
  const other = new DatabaseSync(db.file ?? "")
  other.exec("begin immediate")
  const adding = append(db, [record("patient")])
  // If the event loop were blocked, the commit that releases the lock would run too late.
  const all = () => db.read.selectFrom("usage").select("id").execute()
  expect(await all()).toEqual([])
  other.exec("commit")
  await adding
  expect(await all()).toEqual([{ id: "patient" }])
  other.close()
  await db.close()
})

it("appending reports a missing database on every attempt", async () => {
  const appender = createAppender("/nowhere/portico.db")
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(appender.ready()).rejects.toThrow("unable to open database file")
  }
  await appender.close()
})

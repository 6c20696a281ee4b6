import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { createCheckpointer } from "./checkpointer.ts"

describe("the checkpointer", () => {
  let folder: string
  let path: string
  let database: DatabaseSync
  let checkpointer: ReturnType<typeof createCheckpointer>

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "portico-checkpointer-"))
    path = join(folder, "data.db")
    database = new DatabaseSync(path)
    database.exec("pragma journal_mode = wal; create table rows (content text) strict")
    checkpointer = createCheckpointer({
      path,
      reader: database,
      background: createTestBackground(),
    })
    const insert = database.prepare("insert into rows values (?)")
    for (let row = 0; row < 100; row++) insert.run("x".repeat(4000))
  })

  afterEach(async () => {
    await checkpointer.close()
    database.close()
    rmSync(folder, { recursive: true })
  })

  const logBytes = (): number => statSync(`${path}-wal`).size

  it("moves the whole log to the database file and truncates it", async () => {
    expect(logBytes()).toBeGreaterThan(400_000)
    expect(await checkpointer.flushLog()).toBe(true)
    expect(logBytes()).toBe(0)
  })

  it("reports that the log could not be emptied while a reader uses it", async () => {
    const reader = new DatabaseSync(path)
    reader.exec("begin; select count(*) from rows")
    database.exec("insert into rows values ('later')")
    expect(await checkpointer.flushLog()).toBe(false)
    reader.close()
    expect(await checkpointer.flushLog()).toBe(true)
  })
})

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../../test/harness/usage-records.ts"
import type { Database } from "./database.ts"
import { openDatabase } from "./open.ts"

const megabyte = 1024 * 1024

describe("the embedded database", () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-sqlite-"))
  let db: Database

  beforeAll(async () => {
    db = await openDatabase({ DATA_DIR: folder })
  })
  afterAll(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })

  const sizeOf = (name: string): number => statSync(join(folder, name)).size
  /** Compares the frames in the log with those in the database, in the header of the WAL index. */
  const isCheckpointed = (): boolean => {
    const index = readFileSync(join(folder, "portico.db-shm"))
    return index.readUInt32LE(16) === index.readUInt32LE(96)
  }
  const write = async (megabytes: number): Promise<void> => {
    for (let count = 0; count < megabytes; count++) {
      // Unchanged pages would not be written.
      const row = { name: "filler", value: `${count}`.repeat(megabyte).slice(0, megabyte) }
      await db.transactRelaxed((tx) =>
        tx
          .insertInto("audit_state")
          .values(row)
          .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
          .execute(),
      )
    }
  }

  it("checkpoints its log once it is large, and then overwrites it", async () => {
    await write(80)
    await waitFor(() => sizeOf("portico.db") > megabyte)
    // The last part of the log is checkpointed while writers wait, shortly after the rest.
    await expect.poll(isCheckpointed).toBe(true)
    const long = sizeOf("portico.db-wal")
    expect(long).toBeGreaterThan(64 * megabyte)
    await write(20)
    expect(sizeOf("portico.db-wal")).toBe(long)
  })

  it("does not recompile a statement for each value of its limit", () => {
    const page = db.read.selectFrom("users").select("id").limit(10).offset(20).compile()
    expect(page.sql).toBe('select "id" from "users" limit ? + 0 offset ?')
    expect(page.parameters).toEqual([10, 20])
  })
})

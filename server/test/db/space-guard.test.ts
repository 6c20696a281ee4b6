import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createReserve } from "../../src/db/disk-space.ts"
import { createSpaceGuard } from "../../src/db/space-guard.ts"
import { openSqliteFile } from "../../src/db/sqlite-file.ts"
import { createSmallDisk, hasSmallDisks, type SmallDisk } from "./small-disk.ts"

const megabyte = 1024 * 1024
const rowBytes = 200_000

describe.runIf(hasSmallDisks)("ordinary writes to a database whose log grows", () => {
  let disk: SmallDisk
  let database: ReturnType<typeof openSqliteFile>
  beforeEach(async () => {
    disk = createSmallDisk(48 * megabyte)
    await createReserve(disk.folder).ensure()
    database = openSqliteFile(join(disk.folder, "portico.db"), false)
    database.exec("create table rows (content blob)")
    database.exec("pragma wal_checkpoint(truncate)")
  })
  afterEach(() => {
    database.close()
    disk.remove()
  })

  it("end while a checkpoint of the log still fits on the disk", () => {
    const checkSpace = createSpaceGuard(join(disk.folder, "portico.db"), database)
    const insert = database.prepare("insert into rows values (?)")
    const write = (): void => {
      checkSpace()
      insert.run(randomBytes(rowBytes))
    }
    const fill = (): void => {
      for (let n = 0; n < 500; n++) write()
    }
    expect(fill).toThrow(expect.objectContaining({ code: "storage_full" }))
    const checkpointed = database.prepare("pragma wal_checkpoint(truncate)").get()
    expect(checkpointed).toEqual({ busy: 0, log: 0, checkpointed: 0 })
    // There is room for others again.
    expect(write).not.toThrow()
  })
})

import { statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { freeBytesSync, reservePath, reserveSizeFor, storageFullFailure } from "./disk-space.ts"
import { preparePragma } from "./sqlite-file.ts"

/** With this much free space, nothing else needs to be looked at. */
const ampleFreeBytes = 1024 ** 3

const fileBytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Guards the database at `path` against ordinary writes that take the last disk space: twice the
 * reserve (see `createReserve`) is left for sign-in and deletion. Space inside the database that
 * deleted rows left counts as free, as long as the log has room.
 * @param database the connection that writes, whose open transaction is included
 * @returns a function that throws `storage_full`
 */
export const createSpaceGuard = (path: string, database: DatabaseSync): (() => void) => {
  const folder = dirname(path)
  const readPageCount = preparePragma(database, "page_count")
  const readFreelistCount = preparePragma(database, "freelist_count")
  const pageBytes = preparePragma(database, "page_size")()

  /** Bytes by which the next checkpoint enlarges the file, before it can shorten the log. */
  const growthBytes = (): number => Math.max(0, readPageCount() * pageBytes - fileBytes(path))

  return () => {
    const freeBytes = freeBytesSync(folder)
    if (freeBytes >= ampleFreeBytes) return
    const reserveBytes = reserveSizeFor(folder)
    // A reserve that was released must be left free in addition.
    const diskBytes = freeBytes + fileBytes(reservePath(folder)) - reserveBytes
    const afterGrowth = diskBytes - growthBytes()
    const afterCheckpoint = afterGrowth + fileBytes(`${path}-wal`) + readFreelistCount() * pageBytes
    if (afterGrowth < reserveBytes || afterCheckpoint < 2 * reserveBytes) throw storageFullFailure()
  }
}

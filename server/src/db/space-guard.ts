import { statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { reservePath, reserveSizeFor, storageFullFailure } from "./disk-space.ts"

/** With this much free space, nothing else needs to be looked at. */
const ampleFreeBytes = 1024 ** 3

const PageCount = z.object({ page_count: z.int() })
const FreelistCount = z.object({ freelist_count: z.int() })
const PageSize = z.object({ page_size: z.int() })

const fileBytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const readFreeBytes = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/**
 * Guards the database at `path` against ordinary writes that take the last disk space: twice the
 * reserve (see `createReserve`) is left for sign-in and deletion. Space inside the database that
 * deleted rows left counts as free, as long as the log has room.
 * @param database the connection that writes, whose open transaction is included
 * @returns a function that throws `storage_full`
 */
export const createSpaceGuard = (path: string, database: DatabaseSync): (() => void) => {
  const folder = dirname(path)
  const pageCount = database.prepare("pragma page_count")
  const freelistCount = database.prepare("pragma freelist_count")
  const { page_size: pageBytes } = PageSize.parse(database.prepare("pragma page_size").get())

  /** Bytes by which the next checkpoint enlarges the file, before it can shorten the log. */
  const growthBytes = (): number => {
    const databaseBytes = PageCount.parse(pageCount.get()).page_count * pageBytes
    return Math.max(0, databaseBytes - fileBytes(path))
  }
  const reusableBytes = (): number =>
    FreelistCount.parse(freelistCount.get()).freelist_count * pageBytes

  return () => {
    const freeBytes = readFreeBytes(folder)
    if (freeBytes >= ampleFreeBytes) return
    const reserveBytes = reserveSizeFor(folder)
    // A reserve that was released must be left free in addition.
    const diskBytes = freeBytes + fileBytes(reservePath(folder)) - reserveBytes
    const afterGrowth = diskBytes - growthBytes()
    const afterCheckpoint = afterGrowth + fileBytes(`${path}-wal`) + reusableBytes()
    if (afterGrowth < reserveBytes || afterCheckpoint < 2 * reserveBytes) throw storageFullFailure()
  }
}

import { statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { reservePath, reserveSizeFor, storageFullFailure } from "./disk-space.ts"

/** With this much free space, nothing else needs to be looked at. */
const plentyBytes = 1024 ** 3

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

  /** Bytes that can be written until the disk is full, including what the next checkpoint needs. */
  const writableBytes = (diskBytes: number): number => {
    const databaseBytes = PageCount.parse(pageCount.get()).page_count * pageBytes
    const reusableBytes = FreelistCount.parse(freelistCount.get()).freelist_count * pageBytes
    const growthBytes = Math.max(0, databaseBytes - fileBytes(path))
    return diskBytes + fileBytes(`${path}-wal`) + reusableBytes - growthBytes
  }

  return () => {
    const freeBytes = readFreeBytes(folder)
    if (freeBytes >= plentyBytes) return
    const reserveBytes = reserveSizeFor(folder)
    // A reserve that was released must be left free in addition.
    const diskBytes = freeBytes + fileBytes(reservePath(folder)) - reserveBytes
    if (diskBytes < reserveBytes || writableBytes(diskBytes) < 2 * reserveBytes)
      throw storageFullFailure()
  }
}

import { randomBytes } from "node:crypto"
import { rmSync, statfsSync, statSync } from "node:fs"
import { open, statfs } from "node:fs/promises"
import { join } from "node:path"
import { Failure } from "../errors.ts"
import { translatable } from "../i18n/message.ts"

const maxReserveBytes = 4 * 1024 * 1024
const chunkBytes = 256 * 1024
const bytesBetweenChecks = 1024 * 1024
/** Files stop before the database does, so that their rows can still be written. */
const minFreeReservesForFiles = 2.5
/** The reserve takes at most 1/8 of its volume. */
const volumeDivisor = 8

const { POSITIVE_INFINITY } = Number
/** In place of what the system does not report. */
const unknownVolume = { blocks: POSITIVE_INFINITY, bavail: POSITIVE_INFINITY, bsize: 1 }

const readVolume = (folder: string) => {
  try {
    return statfsSync(folder)
  } catch {
    return unknownVolume
  }
}

/** Size in bytes of the volume that holds `folder`; infinite if the system does not report it. */
export const volumeBytes = (folder: string): number => {
  const { blocks, bsize } = readVolume(folder)
  return blocks * bsize
}

/**
 * Bytes that this process may still write in `folder`; infinite if the system does not report it.
 */
export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder).catch(() => unknownVolume)
  return bavail * bsize
}

export const freeBytesSync = (folder: string): number => {
  const { bavail, bsize } = readVolume(folder)
  return bavail * bsize
}

/** The write was rejected for lack of space. */
export const storageFullFailure = (cause?: unknown): Failure =>
  new Failure("storage_full", translatable("disk_full"), {
    headers: { "retry-after": "30" },
    cause,
  })

/** Size in bytes of the reserve (see `createReserve`) on the volume of `folder`. */
export const reserveSizeFor = (folder: string): number => {
  const share = volumeBytes(folder) / volumeDivisor
  return Math.min(maxReserveBytes, Math.floor(share / chunkBytes) * chunkBytes)
}

/**
 * Guards writers of files in `folder` against taking the last space, which the database needs to
 * keep working, even to delete.
 * @returns a function to call with the bytes written so far; rejects with `storage_full`
 */
export const createSpaceCheck = (folder: string): ((written: number) => Promise<void>) => {
  const minFreeBytes = minFreeReservesForFiles * reserveSizeFor(folder)
  let nextCheckAt = 0
  return async (written) => {
    if (written < nextCheckAt) return
    nextCheckAt = written + bytesBetweenChecks
    if ((await freeBytes(folder)) < minFreeBytes) throw storageFullFailure()
  }
}

export const reservePath = (dataDir: string): string => join(dataDir, "portico.reserve")

/** Deletes the reserve file of `createReserve`. */
export const releaseReserve = (dataDir: string): void =>
  rmSync(reservePath(dataDir), { force: true })

/**
 * A file that only occupies space. On a full disk it is deleted, so that the database can
 * checkpoint its log and an administrator can still sign in and delete data. It is recreated once
 * there is space.
 */
export const createReserve = (dataDir: string) => {
  const path = reservePath(dataDir)
  const size = reserveSizeFor(dataDir)
  let filling: Promise<boolean> | undefined

  const fill = async (): Promise<boolean> => {
    const currentSize = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (currentSize >= size) return true
    // Leaves twice its size free, so that the reserve itself never fills the disk.
    if ((await freeBytes(dataDir)) < 3 * size) return false
    try {
      const file = await open(path, "w", 0o600)
      try {
        // Random bytes, so that a compressing file system cannot shrink them.
        for (let from = 0; from < size; from += chunkBytes)
          await file.write(randomBytes(chunkBytes))
      } finally {
        await file.close()
      }
      return true
    } catch {
      rmSync(path, { force: true })
      return false
    }
  }

  return {
    /** Creates the reserve if there is enough space. @returns whether it exists */
    ensure: (): Promise<boolean> => {
      filling ??= fill().finally(() => {
        filling = undefined
      })
      return filling
    },

    release: (): void => releaseReserve(dataDir),

    close: async (): Promise<void> => {
      await filling
    },
  }
}

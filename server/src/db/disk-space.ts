import { randomBytes } from "node:crypto"
import { rmSync, statfsSync, statSync } from "node:fs"
import { open, statfs } from "node:fs/promises"
import { join } from "node:path"
import { Failure } from "../errors.ts"

const reserveBytes = 4 * 1024 * 1024
const pieceBytes = 256 * 1024
const bytesBetweenChecks = 1024 * 1024
/** A reserve takes no more than one part in so many of its volume. */
const shareOfVolume = 8

/** Bytes of the volume that `folder` is on; infinite where the system does not say. */
export const volumeBytes = (folder: string): number => {
  try {
    const { blocks, bsize } = statfsSync(folder)
    return blocks * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Bytes that this process may still write below `folder`; infinite where the system does not say. */
export const freeBytes = async (folder: string): Promise<number> => {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** What was to be written is not. */
export const storageFull = (cause?: unknown): Failure =>
  new Failure(
    "storage_full",
    "The gateway has no storage space left, so this was not saved. Ask your administrator to free some.",
    { headers: { "retry-after": "30" }, cause },
  )

/** Bytes of the reserve (see `createReserve`) on the volume of `folder`. */
export const reserveOf = (folder: string): number => {
  const share = volumeBytes(folder) / shareOfVolume
  return Math.min(reserveBytes, Math.floor(share / pieceBytes) * pieceBytes)
}

/**
 * For what grows in `folder` and is no database: refuses where it would take the last space, which
 * the database needs to go on, and be it to delete.
 * @returns to be called with the bytes written so far; rejects with `storage_full`
 */
export const createSpaceCheck = (folder: string): ((written: number) => Promise<void>) => {
  const least = 2 * reserveOf(folder)
  let next = 0
  return async (written) => {
    if (written < next) return
    next = written + bytesBetweenChecks
    if ((await freeBytes(folder)) < least) throw storageFull()
  }
}

export const pathOfReserve = (dataDir: string): string => join(dataDir, "portico.reserve")

/** Gives up what `createReserve` holds. */
export const releaseReserve = (dataDir: string): void =>
  rmSync(pathOfReserve(dataDir), { force: true })

/**
 * A file that only takes up room. On a full disk it is given up, so that the database can move its
 * log to its place, and an administrator can still sign in and delete; it comes back with the space.
 */
export const createReserve = (dataDir: string) => {
  const path = pathOfReserve(dataDir)
  const size = reserveOf(dataDir)
  let filling: Promise<boolean> | undefined

  const fill = async (): Promise<boolean> => {
    const held = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (held >= size) return true
    // As much again is left over, or we would be what fills the disk.
    if ((await freeBytes(dataDir)) < 3 * size) return false
    try {
      const file = await open(path, "w", 0o600)
      try {
        // Of random bytes: a file system that compresses would make nothing of others.
        for (let from = 0; from < size; from += pieceBytes)
          await file.write(randomBytes(pieceBytes))
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
    /** Takes the room, where there is enough; @returns whether it is held */
    hold: (): Promise<boolean> => {
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

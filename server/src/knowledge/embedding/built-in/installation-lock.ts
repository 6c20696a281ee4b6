import { randomUUID } from "node:crypto"
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises"

/** A lock that was not refreshed for this long belongs to a process that has died. */
const deadAfterMs = 60_000

/**
 * A lock file, so that of several processes that share a data folder only one installs a model.
 */
export const createInstallationLock = (path: string) => {
  const owner = randomUUID()

  const isHeld = async (): Promise<boolean> => {
    const state = await stat(path).catch(() => null)
    return state !== null && Date.now() - state.mtimeMs < deadAfterMs
  }

  const isOwn = async (): Promise<boolean> =>
    (await readFile(path, "utf8").catch(() => null)) === owner

  return {
    /** Whether a process holds the lock, this one or another. */
    isHeld,

    /** @returns false if another process holds the lock */
    take: async (): Promise<boolean> => {
      if (await isHeld()) return false
      await rm(path, { force: true })
      return writeFile(path, owner, { flag: "wx", mode: 0o600 }).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") return false
          throw error
        },
      )
    },

    /** @returns false if another process has canceled the installation */
    refresh: async (): Promise<boolean> => {
      if (!(await isOwn())) return false
      const now = new Date()
      await utimes(path, now, now).catch(() => {})
      return true
    },

    release: async (): Promise<void> => {
      if (await isOwn()) await rm(path, { force: true })
    },

    /** Takes the lock from the process that holds it, which then stops. */
    cancel: (): Promise<void> => rm(path, { force: true }),
  }
}

import { randomUUID } from "node:crypto"
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises"

/** A lock that was not refreshed for this long belongs to a process that has died. */
const deadAfterMs = 30_000

const ageOf = async (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => null,
  )

const isRefreshed = async (path: string): Promise<boolean> => {
  const age = await ageOf(path)
  return age !== null && age < deadAfterMs
}

/** @returns false if the file exists */
const create = (path: string, content: string): Promise<boolean> =>
  writeFile(path, content, { flag: "wx", mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false
      throw error
    },
  )

/**
 * A lock file, so that of several processes that share a data folder only one installs a model.
 */
export const createInstallationLock = (path: string) => {
  const owner = randomUUID()
  /** Held while the lock of a dead process is replaced, which takes a moment. */
  const replacementPath = `${path}.replacement`

  const isOwn = async (): Promise<boolean> =>
    (await readFile(path, "utf8").catch(() => null)) === owner

  const replaceDead = async (): Promise<boolean> => {
    if (!(await create(replacementPath, owner))) {
      // Whoever comes next replaces the lock, if this process died while it did.
      if (!(await isRefreshed(replacementPath))) await rm(replacementPath, { force: true })
      return false
    }
    try {
      // Another process may have replaced it in the meantime.
      if (await isRefreshed(path)) return false
      await rm(path, { force: true })
      return await create(path, owner)
    } finally {
      await rm(replacementPath, { force: true })
    }
  }

  return {
    /** Whether a process holds the lock, this one or another. */
    isHeld: (): Promise<boolean> => isRefreshed(path),

    /** Whether there is a lock, even of a process that has died. */
    exists: async (): Promise<boolean> => (await ageOf(path)) !== null,

    /** @returns false if another process holds the lock, or is taking it */
    take: async (): Promise<boolean> => {
      if (await create(path, owner)) return true
      return (await isRefreshed(path)) ? false : replaceDead()
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

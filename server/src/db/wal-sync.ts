import { type FileHandle, open } from "node:fs/promises"

/**
 * Has the disk keep what was written to a file so far, without holding up the thread. One wait does
 * for all who came before it began.
 * @param emptyLog moves what the file holds to another one that is on the disk; false when it cannot
 */
export const createLogSync = (path: string, emptyLog: () => Promise<boolean>) => {
  let file: Promise<FileHandle> | undefined
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  /** After a failed flush the system may take for kept what is lost: another one proves nothing. */
  let isSuspect = false

  const opened = (): Promise<FileHandle> => {
    file ??= open(path, "r").catch((error) => {
      file = undefined
      throw error
    })
    return file
  }
  const flush = async (): Promise<void> => {
    if (isSuspect) {
      if (!(await emptyLog())) throw new Error("disk I/O error: the log could not be flushed")
      isSuspect = false
      return
    }
    const log = await opened()
    try {
      await log.datasync()
    } catch (error) {
      isSuspect = true
      throw error
    }
  }
  const begin = (): Promise<void> => {
    running = flush().finally(() => {
      running = undefined
    })
    return running
  }
  /** What is under way may have begun before the last bytes were written. */
  const follow = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => {})
    next = undefined
    await begin()
  }

  return {
    /** @throws when the disk fails */
    sync: (): Promise<void> => {
      if (!running) return begin()
      next ??= follow(running)
      return next
    },

    close: async (): Promise<void> => {
      await running?.catch(() => {})
      await next?.catch(() => {})
      const opening = await file?.catch(() => null)
      await opening?.close()
    },
  }
}

import { type FileHandle, open } from "node:fs/promises"

/**
 * Flushes a file to disk without blocking the thread. Callers that arrive before a flush starts
 * share it.
 * @param flushLog moves the file's content to another file on disk; resolves to false if it cannot
 */
export const createWalSync = (path: string, flushLog: () => Promise<boolean>) => {
  let file: Promise<FileHandle> | undefined
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  /**
   * After a failed flush, the kernel may mark lost pages as clean, so a later success proves
   * nothing.
   */
  let isSuspect = false

  const openLog = (): Promise<FileHandle> => {
    file ??= open(path, "r").catch((error) => {
      file = undefined
      throw error
    })
    return file
  }
  const flush = async (): Promise<void> => {
    if (isSuspect) {
      if (!(await flushLog())) throw new Error("disk I/O error: the log could not be flushed")
      isSuspect = false
      return
    }
    const log = await openLog()
    try {
      await log.datasync()
    } catch (error) {
      isSuspect = true
      throw error
    }
  }
  const startFlush = (): Promise<void> => {
    running = flush().finally(() => {
      running = undefined
    })
    return running
  }
  /** The flush in progress may have started before the last bytes were written. */
  const flushAfter = async (previous: Promise<void>): Promise<void> => {
    // Those who wait for it get its error.
    await previous.catch(() => {})
    next = undefined
    await startFlush()
  }

  return {
    /** @throws if the disk fails */
    sync: (): Promise<void> => {
      if (!running) return startFlush()
      next ??= flushAfter(running)
      return next
    },

    close: async (): Promise<void> => {
      // As above.
      await running?.catch(() => {})
      await next?.catch(() => {})
      const opening = await file?.catch(() => null)
      await opening?.close()
    },
  }
}

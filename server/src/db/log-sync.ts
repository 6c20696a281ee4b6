import { type FileHandle, open } from "node:fs/promises"

/**
 * Has the disk keep what was written to a file so far, without holding up the thread. One wait does
 * for all who came before it began.
 */
export const createLogSync = (path: string) => {
  let file: Promise<FileHandle> | undefined
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const flush = async (): Promise<void> => {
    file ??= open(path, "r")
    await (await file).datasync()
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
      await (await file)?.close()
    },
  }
}

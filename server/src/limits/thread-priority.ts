import { constants, setPriority } from "node:os"

/**
 * Gives the calling thread a lower priority: requests come before it. To be called before anything
 * else is loaded, as loading is computing too. Linux alone has priorities a thread.
 *
 * @param niceness 19 gives way to everything else
 */
export const lowerThreadPriority = (niceness: number): void => {
  if (process.platform !== "linux") return
  try {
    setPriority(0, niceness)
  } catch {
    // Where it is not allowed they share alike.
  }
}

/** Gives a child process a lower priority, where the system allows it: requests come before it. */
export const lowerProcessPriority = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may have ended already.
  }
}

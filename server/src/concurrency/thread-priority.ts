import { constants, setPriority } from "node:os"

/**
 * Lowers the priority of the calling thread below the one that serves requests. Call it before
 * importing anything else, because loading modules uses CPU time too. Only Linux has priorities per
 * thread; elsewhere this does nothing.
 *
 * @param niceness up to 19, the lowest priority
 */
export const lowerThreadPriority = (niceness: number): void => {
  if (process.platform !== "linux") return
  try {
    setPriority(0, niceness)
  } catch {
    // Not permitted: the thread keeps its priority.
  }
}

/** Lowers the priority of a child process below that of the gateway, if permitted. */
export const lowerProcessPriority = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not permitted, or the process has exited.
  }
}

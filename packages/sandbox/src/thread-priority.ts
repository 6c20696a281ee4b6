import { setPriority } from "node:os"

/**
 * Lowers the priority of the calling thread. Call it before importing anything else, because
 * loading modules uses CPU time too. Only Linux has priorities per thread; elsewhere this does
 * nothing.
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

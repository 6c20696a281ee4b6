import { readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"

/** The calling thread's number in the system; 0 where the system does not say. */
export const ownThread = (): number => {
  try {
    return Number(basename(readlinkSync("/proc/thread-self"))) || 0
  } catch {
    return 0
  }
}

/** Milliseconds that a thread of this process has computed; null where the system does not say. */
export const computedBy = (thread: number): number | null => {
  if (thread === 0) return null
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ")
    return Number(nanoseconds) / 1_000_000
  } catch {
    return null
  }
}

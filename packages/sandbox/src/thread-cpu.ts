import { readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"

/** The kernel's id of the current thread; 0 if unknown (not Linux). */
export const currentThreadId = (): number => {
  try {
    return Number(basename(readlinkSync("/proc/thread-self"))) || 0
  } catch {
    return 0
  }
}

/** CPU time of a thread of this process in milliseconds; null if unknown. */
export const threadCpuMs = (thread: number): number | null => {
  if (thread === 0) return null
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ")
    return Number(nanoseconds) / 1_000_000
  } catch {
    return null
  }
}

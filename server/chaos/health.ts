import { setTimeout as wait } from "node:timers/promises"
import { readRss } from "../../bench/measure/process-stats.ts"

const memoryMs = 90_000

/**
 * Allowed growth of the RSS. Legitimate growth comes from compiled code, pooled connections, a V8
 * heap of up to four times the live size, and allocator fragmentation: of one gigabyte received in
 * 64 kB pieces, about 200 MB stay with the process. Leaked replies would take more than twice this.
 */
export const mayGrowMb = 350

/** Waits until the idle process has released memory. @returns its RSS in MB */
export const restMemory = async (pid: number, atMost: number): Promise<number> => {
  const late = performance.now() + memoryMs
  while (readRss(pid) > atMost && performance.now() < late) await wait(200)
  return readRss(pid)
}

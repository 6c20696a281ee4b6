import { setTimeout as wait } from "node:timers/promises"
import { readRss } from "../bench/measure/process-stats.ts"
import type { Latency } from "../fuzz/api/latency.ts"

const memoryMs = 90_000
/** Allowed difference between the p99 latency of /health and of a bare server, in ms. */
const maxAddedMs = 250

/**
 * Allowed growth of the RSS. Legitimate growth comes from compiled code, pooled connections, a V8
 * heap of up to four times the live size, and allocator fragmentation: of one gigabyte received in
 * 64 kB pieces, about 200 MB stay with the process. Leaked replies would take more than twice this.
 */
export const maxGrowthMb = 350

/** Waits until the idle process has released memory. @returns its RSS in MB */
export const restMemory = async (pid: number, atMost: number): Promise<number> => {
  const late = performance.now() + memoryMs
  while (readRss(pid) > atMost && performance.now() < late) await wait(200)
  return readRss(pid)
}

interface Findings {
  problems: readonly string[]
  latency: Latency
  /** RSS in MB. */
  memory: { before: number; after: number }
}

export const isHealthy = ({ problems, latency, memory }: Findings): boolean =>
  problems.length === 0 &&
  latency.gateway - latency.control < maxAddedMs &&
  memory.after < memory.before + maxGrowthMb

import { setTimeout as wait } from "node:timers/promises"
import { readRss } from "../../bench/measure/process-stats.ts"

const memoryMs = 90_000

/**
 * More than before is held by code that was compiled meanwhile, by connections kept, by a heap that V8
 * lets grow to four times what is in use, and by the C library: of a gigabyte that came in pieces of
 * 64 kB some 200 MB stay with the process, as here and there something small lives between them. What
 * was held of the replies is more than twice as much.
 */
export const mayGrowMb = 350

/** Memory is given back when nothing has been asked for a while. */
export const restMemory = async (pid: number, atMost: number): Promise<number> => {
  const late = performance.now() + memoryMs
  while (readRss(pid) > atMost && performance.now() < late) await wait(200)
  return readRss(pid)
}

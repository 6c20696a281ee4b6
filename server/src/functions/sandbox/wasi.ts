import { randomFillSync } from "node:crypto"
import type { Pointer } from "./quickjs-exports.ts"

const noSuchCall = 52
const badFile = 8
const steady = 1

interface Deps {
  memory: () => Buffer
  /** Start of the current run in `performance.now()` time; null if there is none. */
  startedAt: () => number | null
}

/**
 * The WASI imports of the engine: clocks with millisecond resolution and random bytes, nothing
 * else.
 */
export const systemFor = ({ memory, startedAt }: Deps) => ({
  /** The monotonic clock starts at 0 with each run. */
  clock_time_get: (clock: number, _precision: number, to: Pointer): number => {
    const began = startedAt()
    const elapsed = began === null ? 0 : performance.now() - began
    const ms = clock === steady ? Math.floor(elapsed) : Date.now()
    memory().writeBigUInt64LE(BigInt(ms) * 1_000_000n, to)
    return 0
  },
  random_get: (to: Pointer, length: number): number => {
    randomFillSync(memory(), to, length)
    return 0
  },
  // Output of the engine itself is discarded.
  fd_write: (): number => badFile,
  fd_close: (): number => noSuchCall,
  fd_fdstat_get: (): number => noSuchCall,
  fd_seek: (): number => noSuchCall,
})

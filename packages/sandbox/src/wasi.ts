import { randomFillSync } from "node:crypto"
import type { Pointer } from "./quickjs-exports.ts"

const errnoNosys = 52
const errnoBadf = 8
const monotonicClock = 1

interface Deps {
  memory: () => Buffer
  /** Start of the current run in `performance.now()` time; null if there is none. */
  startedAt: () => number | null
}

/** The engine's WASI imports: clocks with millisecond resolution and random bytes only. */
export const createWasiImports = ({ memory, startedAt }: Deps) => ({
  /** The monotonic clock starts at 0 with each run. */
  clock_time_get: (clock: number, _precision: number, to: Pointer): number => {
    const start = startedAt()
    const elapsed = start === null ? 0 : performance.now() - start
    const ms = clock === monotonicClock ? Math.floor(elapsed) : Date.now()
    memory().writeBigUInt64LE(BigInt(ms) * 1_000_000n, to)
    return 0
  },
  random_get: (to: Pointer, length: number): number => {
    randomFillSync(memory(), to, length)
    return 0
  },
  // Output of the engine itself is discarded.
  fd_write: (): number => errnoBadf,
  fd_close: (): number => errnoNosys,
  fd_fdstat_get: (): number => errnoNosys,
  fd_seek: (): number => errnoNosys,
})

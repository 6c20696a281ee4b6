import { fail } from "../errors.ts"

interface Limits {
  atOnce: number
  /** How many may wait for their turn; more are refused. */
  waiting: number
}

/** Lets a few pieces of work run at once, first come, first served. */
export const createTurns = ({ atOnce, waiting: mostWaiting }: Limits) => {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    /** @throws {Failure} `rate_limited` when too many wait already */
    take: async <T>(work: () => Promise<T>): Promise<T> => {
      if (waiting.length >= mostWaiting) {
        fail("rate_limited", "Too many people sign in at this moment; try again soon", {
          headers: { "retry-after": "5" },
        })
      }
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
      else running++
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
    idle: (): boolean => running === 0,
  }
}

export type Turns = ReturnType<typeof createTurns>

import { toError } from "../errors.ts"
import { secondsPerDay, secondsPerHour } from "./sum-columns.ts"
import type { Outdated, UsageSumsStore } from "./sums-store.ts"
import type { UsageSpan } from "./usage-parts.ts"

const batchSize = 100
/** How long after an hour its last records have usually been written. */
const delaySeconds = 30

interface Deps {
  store: Pick<UsageSumsStore, "findOutdated" | "sum">
  now: () => number
}

/** How many hours and days have been summed. */
export interface SummedCounts {
  hours: number
  days: number
}

const always: UsageSpan = { from: 0, to: Number.MAX_SAFE_INTEGER }

/**
 * Sums hours and days that are over and outdated. Several processes may do so at a time: what
 * another one has summed meanwhile is skipped.
 */
export const createUsageSummation = ({ store, now }: Deps) => {
  async function* findAll(part: "hour" | "day", { from, to }: UsageSpan): AsyncGenerator<Outdated> {
    let found: Outdated[] = []
    let next = from
    do {
      found = await store.findOutdated(part, { from: next, to }, batchSize)
      yield* found
      next = (found.at(-1)?.start ?? to) + 1
    } while (found.length === batchSize)
  }

  const sumAll = async (
    part: "hour" | "day",
    span: UsageSpan,
    signal?: AbortSignal,
  ): Promise<number> => {
    let count = 0
    const failures: Error[] = []
    for await (const outdated of findAll(part, span)) {
      if (signal?.aborted) break
      const isSummed = await store.sum(outdated).catch((error: unknown) => {
        failures.push(toError(error))
        return false
      })
      if (isSummed) count++
    }
    if (failures[0]) throw failures[0]
    return count
  }

  /** @throws the first error, after all others have been summed */
  return async (signal?: AbortSignal, span: UsageSpan = always): Promise<SummedCounts> => {
    const ended = (seconds: number): UsageSpan => ({
      from: span.from,
      to: Math.min(span.to, now() - delaySeconds - seconds + 1),
    })
    const hours = await sumAll("hour", ended(secondsPerHour), signal)
    const days = await sumAll("day", ended(secondsPerDay), signal)
    return { hours, days }
  }
}

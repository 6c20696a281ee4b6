import { Failure } from "../errors.ts"

/** An amount for one user and for all users together. */
export interface UserAndTotal {
  perUser: number
  total: number
}

export interface LimitDefinition {
  /** What is counted, as in "at most 5 model requests under way". */
  what: string
  /** Name of the environment variable that sets the bounds. */
  variable: string
  bounds: UserAndTotal
}

const retry = { headers: { "retry-after": "5" } }

/**
 * @param counts including the requested amount
 * @returns `rate_limited` with `retry-after`, or null if within the bounds
 */
export const limitExceededFailure = (
  { what, variable, bounds }: LimitDefinition,
  counts: UserAndTotal,
): Failure | null => {
  if (counts.perUser > bounds.perUser) {
    const message = `One user may have at most ${bounds.perUser} ${what} (${variable}); wait until some of yours have ended`
    return new Failure("rate_limited", message, retry)
  }
  if (counts.total > bounds.total) {
    const message = `The gateway has reached its limit of ${bounds.total} ${what} (${variable}). Try again shortly.`
    return new Failure("rate_limited", message, retry)
  }
  return null
}

/** @throws {Failure} `rate_limited` if `counts` exceed the limit */
export const checkLimit = (limit: LimitDefinition, counts: UserAndTotal): void => {
  const excess = limitExceededFailure(limit, counts)
  if (excess) throw excess
}

/**
 * Limits what users hold at the same time: requests in flight, uploads, bytes in memory. Every
 * reservation must be released, however its request ends.
 */
export const createUserLimit = (limit: LimitDefinition) => {
  const heldByUser = new Map<string, number>()
  let held = 0

  const set = (user: string, amount: number): void => {
    if (amount > 0) heldByUser.set(user, amount)
    else heldByUser.delete(user)
  }

  const heldBy = (user: string): number => heldByUser.get(user) ?? 0

  const hold = (user: string, amount: number): (() => void) => {
    set(user, heldBy(user) + amount)
    held += amount
    let released = false
    return () => {
      if (released) return
      released = true
      held -= amount
      set(user, heldBy(user) - amount)
    }
  }

  return {
    /**
     * @returns a function that releases it; repeated calls have no effect
     * @throws {Failure} `rate_limited` with `retry-after`
     */
    reserve: (user: string, amount = 1): (() => void) => {
      checkLimit(limit, { perUser: heldBy(user) + amount, total: held + amount })
      return hold(user, amount)
    },

    /** @throws {Failure} `rate_limited` if nothing more can be reserved */
    check: (user: string): void =>
      checkLimit(limit, { perUser: heldBy(user) + 1, total: held + 1 }),

    /**
     * Reserves regardless of the limit, for what can no longer be rejected.
     * @returns a function that releases it; repeated calls have no effect
     */
    hold,

    maxPerUser: limit.bounds.perUser,

    held: (user?: string): number => (user === undefined ? held : heldBy(user)),
  }
}

export type UserLimit = ReturnType<typeof createUserLimit>

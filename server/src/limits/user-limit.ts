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

/** One user has reached their limit. */
export const userLimitFailure = ({ what, variable, bounds }: LimitDefinition): Failure => {
  const message = `One user may have at most ${bounds.perUser} ${what} (${variable}); wait until some of yours have ended`
  return new Failure("rate_limited", message, retry)
}

/** All users together have reached the limit. */
export const totalLimitFailure = ({ what, variable, bounds }: LimitDefinition): Failure => {
  const message = `The gateway has reached its limit of ${bounds.total} ${what} (${variable}). Try again shortly.`
  return new Failure("rate_limited", message, retry)
}

/**
 * @param counts including the requested amount
 * @throws {Failure} `rate_limited` with `retry-after` if they exceed the limit
 */
export const checkLimit = (limit: LimitDefinition, { perUser, total }: UserAndTotal): void => {
  if (perUser > limit.bounds.perUser) throw userLimitFailure(limit)
  if (total > limit.bounds.total) throw totalLimitFailure(limit)
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

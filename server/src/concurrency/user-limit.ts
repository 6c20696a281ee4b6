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
export interface UserLimit {
  readonly maxPerUser: number
  /**
   * @returns a function that releases it; repeated calls have no effect
   * @throws {Failure} `rate_limited` with `retry-after`
   */
  reserve(user: string, amount?: number): () => void
  /** @throws {Failure} `rate_limited` if nothing more can be reserved */
  check(user: string): void
  /** `reserve` regardless of the limit, for what can no longer be rejected. */
  hold(user: string, amount: number): () => void
  /** What a user holds, or all users together. */
  held(user?: string): number
}

export const createUserLimit = (limit: LimitDefinition): UserLimit => {
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
    maxPerUser: limit.bounds.perUser,
    reserve: (user, amount = 1) => {
      checkLimit(limit, { perUser: heldBy(user) + amount, total: held + amount })
      return hold(user, amount)
    },
    check: (user) => checkLimit(limit, { perUser: heldBy(user) + 1, total: held + 1 }),
    hold,
    held: (user) => (user === undefined ? held : heldBy(user)),
  }
}

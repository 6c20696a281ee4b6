import { createUserLimit, type UserAndTotal } from "../concurrency/user-limit.ts"
import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { StorageUsage } from "./schema.ts"
import { ownerLimitMessage, ownLimitMessage, totalLimitMessage } from "./storage-limit-messages.ts"
import { createStoredBytes, sumBreakdown } from "./stored-bytes.ts"

/**
 * How long a cached total is trusted to admit requests; a rejection always rests on a total newer
 * than the request.
 */
const totalMaxAgeMs = 60_000

/** Bytes about to be stored. */
export interface StorageAddition {
  /** The user whose limit they count toward. */
  owner: string
  bytes: number
  /**
   * The user who stores them, if not the owner; error messages do not reveal the owner's usage to
   * them.
   */
  addedBy?: string
  /** The user who stored them so far, if they only change their owner. */
  movedFrom?: string
}

/** Limits what users store: files, chats, images, models, functions and responses. */
export interface StorageQuota {
  /**
   * Reserves space while data arrives.
   * @returns a function to call when done, with whether the bytes were stored
   * @throws {Failure} `storage_limit` if they would exceed a limit
   */
  reserve(addition: StorageAddition): Promise<(isStored: boolean) => void>
  /**
   * Runs `write`, which must store all of `additions` or nothing. Additions of no bytes are
   * accepted even above the limit.
   * @throws {Failure} `storage_limit` before anything is written
   */
  writeWithinLimit<T>(additions: readonly StorageAddition[], write: () => Promise<T>): Promise<T>
  /** Records bytes stored without a reservation. */
  recordStored(user: string, bytes: number): void
  usage(user: string): Promise<StorageUsage>
}

export const createStorageQuota = ({
  db,
  bounds,
}: {
  db: Database
  bounds: UserAndTotal
}): StorageQuota => {
  const stored = createStoredBytes(db)
  /** Bytes reserved by writes in progress. */
  const reservations = createUserLimit({
    what: "bytes on their way",
    variable: "MAX_STORAGE",
    bounds: { perUser: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
  })

  const usageOf = (user: string): StorageUsage => {
    const { breakdown } = stored.cached(user)
    return { limit: bounds.perUser, used: sumBreakdown(breakdown), breakdown }
  }

  /**
   * The limit that the addition would exceed, if any: a user's, or `null` for all users together.
   */
  const findExceededLimit = ({
    owner,
    bytes,
    movedFrom,
  }: StorageAddition): { of: string | null } | undefined => {
    const ownLimit = { of: owner, limit: bounds.perUser, held: reservations.held(owner) }
    const totalLimit = { of: null, limit: bounds.total, held: reservations.held() }
    const limits = movedFrom === undefined ? [ownLimit, totalLimit] : [ownLimit]
    return limits.find(({ of, limit, held }) => stored.cached(of).bytes + held + bytes > limit)
  }

  const failOverLimit = (of: string | null, { owner, addedBy = owner }: StorageAddition): never => {
    if (of === null) return fail("storage_limit", totalLimitMessage(bounds.total))
    if (addedBy !== owner) return fail("storage_limit", ownerLimitMessage)
    const storage = usageOf(of)
    return fail("storage_limit", ownLimitMessage(storage), { body: { storage } })
  }

  const reserve: StorageQuota["reserve"] = async (addition) => {
    const { owner, bytes, movedFrom } = addition
    const calledAt = performance.now()
    for (const whose of [owner, null]) await stored.refresh(whose, calledAt - totalMaxAgeMs)
    for (
      let exceeded = findExceededLimit(addition);
      exceeded;
      exceeded = findExceededLimit(addition)
    ) {
      if (stored.cached(exceeded.of).at >= calledAt) failOverLimit(exceeded.of, addition)
      await stored.refresh(exceeded.of, calledAt)
    }
    // There is no await since the check, so concurrent callers see the reservation.
    const release = reservations.reserve(owner, bytes)
    return (isStored) => {
      release()
      if (!isStored) return
      stored.add(owner, bytes)
      if (movedFrom !== undefined) stored.add(movedFrom, -bytes)
    }
  }

  return {
    reserve,

    writeWithinLimit: async (additions, write) => {
      const releases: ((stays: boolean) => void)[] = []
      let isStored = false
      try {
        for (const addition of additions) {
          if (addition.bytes > 0) releases.push(await reserve(addition))
        }
        const result = await write()
        isStored = true
        return result
      } finally {
        for (const release of releases) release(isStored)
      }
    },

    recordStored: stored.add,

    usage: async (user) => {
      await stored.refresh(user, performance.now())
      return usageOf(user)
    },
  }
}

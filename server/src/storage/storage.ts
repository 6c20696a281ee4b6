import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import { type Bounds, createUserLimit } from "../limits/user-limit.ts"
import type { StorageUsage } from "./schema.ts"
import { othersLimitMessage, ownLimitMessage, totalLimitMessage } from "./storage-limit-message.ts"
import { createStoredBytes, totalOf } from "./stored-bytes.ts"

/**
 * How long a cached total is trusted to admit requests; a rejection always rests on a total newer
 * than the request.
 */
const sumMs = 60_000

/** Bytes about to be stored. */
export interface Addition {
  /** The user whose limit they count toward. */
  owner: string
  bytes: number
  /**
   * The user who stores them, if not the owner; error messages do not reveal the owner's usage to
   * them.
   */
  addedBy?: string
}

/** Limits what users store: files, chats, images, models and functions. */
export const createStorage = ({ db, bounds }: { db: Database; bounds: Bounds }) => {
  const stored = createStoredBytes(db)
  /** Bytes reserved by writes in progress. */
  const coming = createUserLimit({
    what: "bytes on their way",
    variable: "MAX_STORAGE",
    bounds: { perUser: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
  })

  const usageOf = (user: string): StorageUsage => {
    const { breakdown } = stored.known(user)
    return { limit: bounds.perUser, used: totalOf(breakdown), breakdown }
  }

  /**
   * The limit that the addition would exceed, if any: a user's, or `null` for all users together.
   */
  const exceededBy = ({ owner, bytes }: Addition): { of: string | null } | undefined =>
    [
      { of: owner, limit: bounds.perUser, held: coming.held(owner) },
      { of: null, limit: bounds.total, held: coming.held() },
    ].find(({ of, limit, held }) => stored.known(of).bytes + held + bytes > limit)

  const refuse = (of: string | null, { owner, addedBy = owner }: Addition): never => {
    if (of === null) return fail("storage_limit", totalLimitMessage(bounds.total))
    if (addedBy !== owner) return fail("storage_limit", othersLimitMessage)
    const storage = usageOf(of)
    return fail("storage_limit", ownLimitMessage(storage), { storage })
  }

  /**
   * Reserves space while data arrives.
   * @returns a function to call when done, with whether the bytes were stored
   * @throws {Failure} `storage_limit` if they would exceed a limit
   */
  const reserve = async (addition: Addition): Promise<(stays: boolean) => void> => {
    const { owner, bytes } = addition
    const calledAt = performance.now()
    for (const whose of [owner, null]) await stored.refresh(whose, calledAt - sumMs)
    for (let full = exceededBy(addition); full; full = exceededBy(addition)) {
      if (stored.known(full.of).at >= calledAt) refuse(full.of, addition)
      await stored.refresh(full.of, calledAt)
    }
    // There is no await since the check, so concurrent callers see the reservation.
    const release = coming.reserve(owner, bytes)
    return (stays) => {
      release()
      if (stays) stored.add(owner, bytes)
    }
  }

  return {
    reserve,

    /**
     * Runs `write`, which must store all of `additions` or nothing. Additions of no bytes are
     * accepted even above the limit.
     * @throws {Failure} `storage_limit` before anything is written
     */
    write: async <T>(additions: readonly Addition[], write: () => Promise<T>): Promise<T> => {
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

    /** Records bytes stored without a reservation. */
    noteStored: stored.add,

    usage: async (user: string): Promise<StorageUsage> => {
      await stored.refresh(user, performance.now())
      return usageOf(user)
    },
  }
}

export type Storage = ReturnType<typeof createStorage>

import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import { type Bounds, createUserLimit } from "../limits/user-limit.ts"
import type { StorageUsage } from "./schema.ts"
import { othersLimitMessage, ownLimitMessage, totalLimitMessage } from "./storage-limit-message.ts"
import { createStoredBytes, totalOf } from "./stored-bytes.ts"

/** How long a sum is believed; nobody is refused by one that is older than the request. */
const sumMs = 60_000

/** Bytes about to be stored. */
export interface Addition {
  /** The user to whom they count. */
  owner: string
  bytes: number
  /** The user who stores them, where it is another: they are not told what the owner stores. */
  addedBy?: string
}

/** Limits what users store: files, chats, images, models and functions. */
export const createStorage = ({ db, bounds }: { db: Database; bounds: Bounds }) => {
  const stored = createStoredBytes(db)
  /** What is on its way and may be stored. */
  const coming = createUserLimit({
    what: "bytes on their way",
    variable: "MAX_STORAGE",
    bounds: { perUser: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
  })

  const usageOf = (user: string): StorageUsage => {
    const { breakdown } = stored.known(user)
    return { limit: bounds.perUser, used: totalOf(breakdown), breakdown }
  }

  /** Whose limit `bytes` more would exceed: `null` stands for everybody together. */
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
   * Reserves room while something comes in.
   * @returns to be called when it is over, and whether the bytes stay
   * @throws {Failure} `storage_limit` where they would be too many
   */
  const reserve = async (addition: Addition): Promise<(stays: boolean) => void> => {
    const { owner, bytes } = addition
    const calledAt = performance.now()
    for (const whose of [owner, null]) await stored.refresh(whose, calledAt - sumMs)
    for (let full = exceededBy(addition); full; full = exceededBy(addition)) {
      if (stored.known(full.of).at >= calledAt) refuse(full.of, addition)
      await stored.refresh(full.of, calledAt)
    }
    // Nothing was waited for since it was found to fit: whoever asks next finds it reserved.
    const release = coming.reserve(owner, bytes)
    return (stays) => {
      release()
      if (stays) stored.add(owner, bytes)
    }
  }

  return {
    reserve,

    /**
     * Runs `write`, which stores all of `additions` or nothing. What grows by nothing is written
     * also beyond the limit.
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

    /** Notes bytes that were stored without a reservation. */
    noteStored: stored.add,

    usage: async (user: string): Promise<StorageUsage> => {
      await stored.refresh(user, performance.now())
      return usageOf(user)
    },
  }
}

export type Storage = ReturnType<typeof createStorage>

import { type Bounds, createUserLimit } from "../concurrency/user-limit.ts"
import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import { createStoredBytes } from "./stored-bytes.ts"

/** How long a sum is believed; nobody is refused by one that is older than the request. */
const sumMs = 60_000

const inWords = (bytes: number): string =>
  bytes >= 1e9 ? `${Number((bytes / 1e9).toFixed(2))} GB` : `${Number((bytes / 1e6).toFixed(2))} MB`

/** Bytes that users may store, unfinished uploads included. */
export const createStorage = ({ db, bounds }: { db: Database; bounds: Bounds }) => {
  const stored = createStoredBytes(db)
  /** Of uploads that are on their way and may become files. */
  const coming = createUserLimit({
    what: "bytes on their way",
    variable: "MAX_STORAGE",
    bounds: { perUser: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
  })

  /** Whose limit `bytes` more would break: `null` stands for everybody together. */
  const fullFor = (user: string, bytes: number): { of: string | null } | undefined =>
    [
      { of: user, limit: bounds.perUser, held: coming.held(user) },
      { of: null, limit: bounds.total, held: coming.held() },
    ].find(({ of, limit, held }) => stored.known(of).bytes + held + bytes > limit)

  const refuse = (of: string | null): never => {
    const message =
      of === null
        ? `With this file the gateway would store more than ${inWords(bounds.total)}, which is its limit (MAX_STORAGE); ask an administrator`
        : `With this file you would store more than ${inWords(bounds.perUser)}, which is the most for one user (MAX_STORAGE); delete files that you no longer need`
    return fail("body_too_large", message)
  }

  return {
    /**
     * Reserves room for an upload while it comes in.
     * @returns to be called when it is over, and whether its bytes stay
     * @throws {Failure} `body_too_large` where they would be too many
     */
    reserve: async (user: string, bytes: number): Promise<(stays: boolean) => void> => {
      const calledAt = performance.now()
      for (const whose of [user, null]) await stored.refresh(whose, calledAt - sumMs)
      for (let full = fullFor(user, bytes); full; full = fullFor(user, bytes)) {
        if (stored.known(full.of).at >= calledAt) refuse(full.of)
        await stored.refresh(full.of, calledAt)
      }
      // Nothing was waited for since it was found to fit: whoever asks next finds it reserved.
      const release = coming.reserve(user, bytes)
      return (stays) => {
        release()
        if (stays) stored.add(user, bytes)
      }
    },
  }
}

export type Storage = ReturnType<typeof createStorage>

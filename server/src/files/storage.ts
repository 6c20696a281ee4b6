import type { Bounds } from "../concurrency/user-limit.ts"
import { createUserLimit } from "../concurrency/user-limit.ts"
import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"

/** How long a sum is believed; nobody is refused by one that is older than the request. */
const sumMs = 60_000
const maxSums = 10_000

interface Sum {
  bytes: number
  at: number
}

const inWords = (bytes: number): string =>
  bytes >= 1e9 ? `${Number((bytes / 1e9).toFixed(2))} GB` : `${Number((bytes / 1e6).toFixed(2))} MB`

/** Bytes that users may store, unfinished uploads included. */
export const createStorage = ({ db, bounds }: { db: Database; bounds: Bounds }) => {
  const sums = new Map<string, Sum>()
  /** Of uploads that are on their way and may become files. */
  const coming = createUserLimit({
    what: "bytes on their way",
    variable: "MAX_STORAGE",
    bounds: { perUser: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
  })

  const summed = async (table: "files" | "uploads", user: string | undefined): Promise<number> => {
    const { bytes } = await db.read
      .selectFrom(table)
      .select(({ fn }) => fn.sum<number | string | null>("size").as("bytes"))
      .$if(user !== undefined, (query) => query.where("user_id", "=", user ?? ""))
      .executeTakeFirstOrThrow()
    return Number(bytes ?? 0)
  }

  /** @param user undefined for all of them */
  const stored = async (user: string | undefined, isFresh: boolean): Promise<number> => {
    const key = user ?? ""
    const known = sums.get(key)
    if (known && !isFresh && performance.now() - known.at < sumMs) return known.bytes
    const at = performance.now()
    const bytes = (await summed("files", user)) + (await summed("uploads", user))
    if (sums.size >= maxSums) sums.clear()
    sums.set(key, { bytes, at })
    return bytes
  }

  const fits = async (user: string | undefined, bytes: number): Promise<boolean> => {
    const limit = user === undefined ? bounds.total : bounds.perUser
    const holds = (sum: number): boolean => sum + coming.held(user) + bytes <= limit
    return holds(await stored(user, false)) || holds(await stored(user, true))
  }

  return {
    /**
     * Reserves room for an upload while it comes in.
     * @returns to be called when it is over, and whether its bytes stay
     * @throws {Failure} `body_too_large` where they would be too many
     */
    reserve: async (user: string, bytes: number): Promise<(stays: boolean) => void> => {
      if (!(await fits(user, bytes))) {
        const most = inWords(bounds.perUser)
        const message = `With this file you would store more than ${most}, which is the most for one user (MAX_STORAGE); delete files that you no longer need`
        fail("body_too_large", message)
      }
      if (!(await fits(undefined, bytes))) {
        const message = `With this file the gateway would store more than ${inWords(bounds.total)}, which is its limit (MAX_STORAGE); ask an administrator`
        fail("body_too_large", message)
      }
      const release = coming.reserve(user, bytes)
      return (stays) => {
        release()
        if (!stays) return
        for (const sum of [sums.get(user), sums.get("")]) if (sum) sum.bytes += bytes
      }
    },
  }
}

export type Storage = ReturnType<typeof createStorage>

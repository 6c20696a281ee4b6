import { runAsNobody } from "../concurrency/current-user.ts"
import type { Database } from "../db/database.ts"
import { StorageBreakdown } from "./schema.ts"
import { readBreakdown } from "./store.ts"

const maxUsers = 10_000
/** How often a total is queried again because something was stored in the meantime. */
const maxTries = 3

interface StoredTotal {
  bytes: number
  /** As of the last query, without bytes stored since. */
  breakdown: StorageBreakdown
  /** When the query started, in ms of `performance.now()`. */
  at: number
  /** Bytes stored since the query started, which its result may or may not include. */
  addedSinceQuery: number
  refreshing: Promise<void> | null
}

const emptyBreakdown = StorageBreakdown.parse(
  Object.fromEntries(StorageBreakdown.keyof().options.map((category) => [category, 0])),
)

export const sumBreakdown = (breakdown: StorageBreakdown): number =>
  Object.values(breakdown).reduce((total, bytes) => total + bytes, 0)

/** Cached totals of stored bytes, per user and (`null`) for all users. */
export const createStoredBytes = (db: Database) => {
  const sums = new Map<string | null, StoredTotal>()

  const evictIfFull = (): void => {
    if (sums.size < maxUsers) return
    for (const [key, { refreshing }] of sums) {
      if (key === null || refreshing) continue
      sums.delete(key)
      return
    }
  }

  const totalFor = (user: string | null): StoredTotal => {
    const known = sums.get(user)
    if (known) return known
    evictIfFull()
    const at = Number.NEGATIVE_INFINITY
    const created: StoredTotal = {
      bytes: 0,
      breakdown: emptyBreakdown,
      at,
      addedSinceQuery: 0,
      refreshing: null,
    }
    sums.set(user, created)
    return created
  }

  const queryTotal = async (user: string | null, sum: StoredTotal): Promise<void> => {
    for (let tries = 1; ; tries++) {
      sum.addedSinceQuery = 0
      const at = performance.now()
      // Scans many rows, even for one user.
      const breakdown = await readBreakdown(db.backgroundReader, user)
      if (sum.addedSinceQuery > 0 && tries < maxTries) continue
      sum.breakdown = breakdown
      sum.bytes = sumBreakdown(breakdown) + sum.addedSinceQuery
      sum.at = at
      return
    }
  }

  return {
    cached: (user: string | null): Readonly<Pick<StoredTotal, "bytes" | "breakdown" | "at">> =>
      totalFor(user),

    /**
     * Refreshes a total unless it was queried at or after `since`; concurrent callers share a
     * query.
     */
    refresh: async (user: string | null, since: number): Promise<void> => {
      const sum = totalFor(user)
      while (sum.at < since) {
        sum.refreshing ??= runAsNobody(() => queryTotal(user, sum)).finally(() => {
          sum.refreshing = null
        })
        await sum.refreshing
      }
    },

    /** Adds stored bytes to the cached totals. */
    add: (user: string, bytes: number): void => {
      for (const sum of [sums.get(user), sums.get(null)]) {
        if (!sum) continue
        sum.bytes += bytes
        sum.addedSinceQuery += bytes
      }
    },
  }
}

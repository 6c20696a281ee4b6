import type { Database } from "../db/database.ts"
import type { StorageBreakdown } from "./schema.ts"
import { readBreakdown } from "./store.ts"

const maxUsers = 10_000
/** How often a total is queried again because something was stored in the meantime. */
const maxTries = 3

interface Sum {
  bytes: number
  /** As of the last query, without bytes stored since. */
  breakdown: StorageBreakdown
  /** When the query started, in ms of `performance.now()`. */
  at: number
  /** Bytes stored since the query started, which its result may or may not include. */
  late: number
  asking: Promise<void> | null
}

const nothing = { files: 0, text: 0, chats: 0, images: 0, models: 0, functions: 0 }

export const totalOf = (breakdown: StorageBreakdown): number =>
  Object.values(breakdown).reduce((total, bytes) => total + bytes, 0)

/** Cached totals of stored bytes, per user and (`null`) for all users. */
export const createStoredBytes = (db: Database) => {
  const sums = new Map<string | null, Sum>()

  const makeRoom = (): void => {
    if (sums.size < maxUsers) return
    for (const [key, { asking }] of sums) {
      if (key === null || asking) continue
      sums.delete(key)
      return
    }
  }

  const sumOf = (user: string | null): Sum => {
    const known = sums.get(user)
    if (known) return known
    makeRoom()
    const at = Number.NEGATIVE_INFINITY
    const made: Sum = { bytes: 0, breakdown: nothing, at, late: 0, asking: null }
    sums.set(user, made)
    return made
  }

  const ask = async (user: string | null, sum: Sum): Promise<void> => {
    for (let tries = 1; ; tries++) {
      sum.late = 0
      const at = performance.now()
      // Scans many rows, even for one user.
      const breakdown = await readBreakdown(db.aside, user)
      if (sum.late > 0 && tries < maxTries) continue
      sum.breakdown = breakdown
      sum.bytes = totalOf(breakdown) + sum.late
      sum.at = at
      return
    }
  }

  return {
    known: (user: string | null): Readonly<Pick<Sum, "bytes" | "breakdown" | "at">> => sumOf(user),

    /**
     * Refreshes a total unless it was queried at or after `since`; concurrent callers share a
     * query.
     */
    refresh: async (user: string | null, since: number): Promise<void> => {
      const sum = sumOf(user)
      while (sum.at < since) {
        sum.asking ??= ask(user, sum).finally(() => {
          sum.asking = null
        })
        await sum.asking
      }
    },

    /** Adds stored bytes to the cached totals. */
    add: (user: string, bytes: number): void => {
      for (const sum of [sums.get(user), sums.get(null)]) {
        if (!sum) continue
        sum.bytes += bytes
        sum.late += bytes
      }
    },
  }
}

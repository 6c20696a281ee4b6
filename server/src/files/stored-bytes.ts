import type { Database } from "../db/database.ts"

const maxUsers = 10_000
/** How often a sum is asked for again because files were kept meanwhile. */
const maxTries = 3

interface Sum {
  bytes: number
  /** When it was asked for, by `performance.now()`. */
  at: number
  /** Bytes kept since it was asked for: it may have them, or not. */
  late: number
  asking: Promise<void> | null
}

/** What files and unfinished uploads take, of each user and (`null`) of all together. */
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
    const made: Sum = { bytes: 0, at: Number.NEGATIVE_INFINITY, late: 0, asking: null }
    sums.set(user, made)
    return made
  }

  const sizeIn = async (table: "files" | "uploads", user: string | null): Promise<number> => {
    // All files are a great many rows.
    const { bytes } = await (user === null ? db.aside : db.read)
      .selectFrom(table)
      .select(({ fn }) => fn.sum<number | string | null>("size").as("bytes"))
      .$if(user !== null, (query) => query.where("user_id", "=", user ?? ""))
      .executeTakeFirstOrThrow()
    return Number(bytes ?? 0)
  }

  const ask = async (user: string | null, sum: Sum): Promise<void> => {
    for (let tries = 1; ; tries++) {
      sum.late = 0
      const at = performance.now()
      const bytes = (await sizeIn("files", user)) + (await sizeIn("uploads", user))
      if (sum.late > 0 && tries < maxTries) continue
      sum.bytes = bytes + sum.late
      sum.at = at
      return
    }
  }

  return {
    known: (user: string | null): Readonly<Pick<Sum, "bytes" | "at">> => sumOf(user),

    /** Has a sum be asked for no earlier than `since`; who needs the same one shares it. */
    refresh: async (user: string | null, since: number): Promise<void> => {
      const sum = sumOf(user)
      while (sum.at < since) {
        sum.asking ??= ask(user, sum).finally(() => {
          sum.asking = null
        })
        await sum.asking
      }
    },

    /** Notes what was kept. */
    add: (user: string, bytes: number): void => {
      for (const sum of [sums.get(user), sums.get(null)]) {
        if (!sum) continue
        sum.bytes += bytes
        sum.late += bytes
      }
    },
  }
}

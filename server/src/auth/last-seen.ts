import type { Database } from "../db/database.ts"
import type { Caller } from "../http/caller.ts"
import type { AuthStore } from "./store.ts"

const writeMs = 15_000

/**
 * Records when users, keys and sessions were last used; collected in memory and written in batches.
 */
export const createLastSeen = ({
  db,
  store,
  now,
}: {
  db: Database
  store: AuthStore
  now: () => number
}) => {
  const fresh = () => ({
    users: new Map<string, number>(),
    api_keys: new Map<string, number>(),
    sessions: new Map<string, number>(),
  })
  let noted = fresh()

  const flush = async (): Promise<void> => {
    if (noted.users.size === 0) return
    const seen = noted
    noted = fresh()
    await db.transactLoosely((tx) => store.touch(tx, seen))
  }
  // A failed batch is dropped; the next use records it again.
  const timer = setInterval(() => void flush().catch(() => {}), writeMs).unref()

  return {
    note: ({ user, credential }: Caller): void => {
      const at = now()
      noted.users.set(user.id, at)
      noted[credential.type === "key" ? "api_keys" : "sessions"].set(credential.id, at)
    },
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer)
      await flush().catch(() => {})
    },
  }
}

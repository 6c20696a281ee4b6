import type { Database } from "../db/database.ts"
import type { Caller } from "../http/caller.ts"
import type { AuthStore } from "./store.ts"

const flushIntervalMs = 15_000

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
  const createBatch = () => ({
    users: new Map<string, number>(),
    api_keys: new Map<string, number>(),
    sessions: new Map<string, number>(),
  })
  let pending = createBatch()

  const flush = async (): Promise<void> => {
    if (pending.users.size === 0) return
    const batch = pending
    pending = createBatch()
    await db.transactRelaxed((tx) => store.recordLastUse(tx, batch))
  }
  // A failed batch is dropped; the next use records it again.
  const timer = setInterval(() => void flush().catch(() => {}), flushIntervalMs).unref()

  return {
    recordUse: ({ user, credential }: Caller): void => {
      const at = now()
      pending.users.set(user.id, at)
      pending[credential.type === "key" ? "api_keys" : "sessions"].set(credential.id, at)
    },
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer)
      await flush().catch(() => {})
    },
  }
}

import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Database } from "../db/database.ts"
import { type Caller, isServiceKey } from "../http/caller.ts"
import type { AuthStore } from "./store.ts"

const flushIntervalMs = 15_000
const taskName = "record last uses"

interface Deps {
  background: BackgroundTasks
  db: Database
  store: AuthStore
  now: () => number
}

/**
 * Records when users, keys and sessions were last used; collected in memory and written in batches.
 */
export const createLastUseRecorder = ({ background, db, store, now }: Deps) => {
  const createBatch = () => ({
    users: new Map<string, number>(),
    api_keys: new Map<string, number>(),
    sessions: new Map<string, number>(),
  })
  let pending = createBatch()

  const flush = async (): Promise<void> => {
    if (pending.api_keys.size + pending.sessions.size === 0) return
    const batch = pending
    pending = createBatch()
    await db.transactRelaxed((tx) => store.recordLastUse(tx, batch))
  }
  // A failed batch is dropped; the next use records it again.
  background.every(flushIntervalMs, taskName, flush)

  return {
    recordUse: (caller: Caller): void => {
      const at = now()
      const { type, id } = caller.credential
      if (!isServiceKey(caller)) pending.users.set(caller.user.id, at)
      pending[type === "session" ? "sessions" : "api_keys"].set(id, at)
    },
    flush,
    close: async (): Promise<void> => {
      await background.runInBackground(taskName, flush)
    },
  }
}

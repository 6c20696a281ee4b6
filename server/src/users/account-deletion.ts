import { setTimeout as wait } from "node:timers/promises"
import type { Bus } from "../bus/bus.ts"
import { createBatchedDeletion } from "../db/batched-deletion.ts"
import type { Database, Tx } from "../db/database.ts"
import type { JobKind, JobQueue } from "../jobs/queue.ts"
import { hasJob } from "../jobs/store.ts"
import { ownedTables } from "./owned-tables.ts"
import type { UserStore } from "./store.ts"
import { userLock } from "./user-lock.ts"

/** The kind of the jobs that delete accounts; a job's target is the account. */
export const accountDeletionKind = "delete-account"
const lookMs = 50

export interface AccountDeletionDeps {
  db: Database
  store: UserStore
  bus: Bus
  queue: Pick<JobQueue, "add" | "register">
}

/** Deletes accounts in the background, as millions of rows may depend on one. */
export const createAccountDeletion = ({ db, store, bus, queue }: AccountDeletionDeps) => {
  const deleteInBatches = createBatchedDeletion(db, (work) => db.essential.transactRelaxed(work))

  const job: JobKind = {
    concurrency: 1,
    // The account is already inactive, and must not remain half deleted.
    attempts: Number.POSITIVE_INFINITY,
    run: async ({ target: id, signal }) => {
      await deleteInBatches({ owned: ownedTables, ownerIds: [id], signal })
      await db.essential.transactLocked([userLock(id)], async (tx) => {
        await store.remove(tx, id)
        await bus.publish(tx, { topic: "user", id })
      })
      return undefined
    },
    onGivenUp: async () => {},
  }

  queue.register(accountDeletionKind, job)

  return {
    start: (tx: Tx, id: string): Promise<void> =>
      queue.add(tx, [{ kind: accountDeletionKind, target: id, turn: id, owner: id }]),

    isRunning: async (tx: Tx, id: string): Promise<boolean> =>
      (await hasJob(tx, accountDeletionKind, id)) && (await store.byId(id, tx)) !== undefined,

    /** Resolves when the account is gone, or nobody waits for it any more. */
    waitForEnd: async (id: string, isAwaited: () => boolean): Promise<void> => {
      while (isAwaited() && (await store.byId(id))) await wait(lookMs)
    },
  }
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

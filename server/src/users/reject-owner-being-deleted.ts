import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import { hasJob } from "../jobs/store.ts"
import { accountDeletionKind } from "./account-deletion.ts"

/**
 * Call before others get access to what an account owns, holding a lock that the start of its
 * deletion acquires too: the deletion must not overlook them.
 * @throws {Failure} `conflict` if the account is being deleted
 */
export const rejectOwnerBeingDeleted = async (tx: Tx, userId: string): Promise<void> => {
  if (await hasJob(tx, accountDeletionKind, userId))
    fail("conflict", "The account that owns this is being deleted.")
}

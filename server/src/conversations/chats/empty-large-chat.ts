import { createBatchedDeletion } from "../../db/batched-deletion.ts"
import type { Database } from "../../db/database.ts"
import { chatMessagesTable } from "../../users/owned-tables.ts"

/** Bytes of a chat that one transaction deletes: at most some hundred messages. */
const bytesAtOnce = 300_000

/**
 * Deletes the messages of a large chat, of which there may be gigabytes, in short transactions, the
 * last ones first: if the process dies, a shorter chat remains.
 */
export const emptyLargeChat = async (
  db: Database,
  { id, bytes }: { id: string; bytes: number },
): Promise<void> => {
  if (bytes <= bytesAtOnce) return
  const transact: Database["transact"] = (work) => db.essential.transactLocked([`chat:${id}`], work)
  await transact((tx) =>
    tx.updateTable("chats").set({ current_id: null }).where("id", "=", id).execute(),
  )
  const deleteInBatches = createBatchedDeletion(db, transact)
  await deleteInBatches({ owned: [chatMessagesTable], ownerIds: [id] })
}

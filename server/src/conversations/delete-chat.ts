import { createBatchedDeletion } from "../db/batched-deletion.ts"
import type { Database } from "../db/database.ts"
import { messagesOfChats } from "../users/owned-rows.ts"

/**
 * Deletes the messages of a chat, of which there may be gigabytes, in short transactions, the last
 * ones first: if the process dies, a shorter chat remains.
 */
export const deleteMessages = async (db: Database, chatId: string): Promise<void> => {
  const transact: Database["transact"] = (work) =>
    db.essential.transactLocked([`chat:${chatId}`], work)
  await transact((tx) =>
    tx.updateTable("chats").set({ current_id: null }).where("id", "=", chatId).execute(),
  )
  const deleteInBatches = createBatchedDeletion(db, transact)
  await deleteInBatches({ owned: [messagesOfChats], ownerIds: [chatId] })
}

import type { Bus } from "../../bus/bus.ts"
import type { Reader } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import type { TransferableObjects } from "../../ownership/transfer.ts"

interface Deps {
  bus: Bus
  rowLimits: RowLimits
}

const readSharedChats = (reader: Reader, ownerId: string) =>
  reader
    .selectFrom("chats")
    .select(["id", "text_bytes", "image_bytes"])
    .where("user_id", "=", ownerId)
    .where("shared", "=", 1)
    .orderBy("id")
    .execute()

/**
 * Hands shared chats over to another owner, so that their links still work. Private chats are never
 * handed over.
 */
export const createChatTransfer = ({ bus, rowLimits }: Deps): TransferableObjects => ({
  type: "chat",
  bytes: async (reader, ownerId) =>
    (await readSharedChats(reader, ownerId)).reduce(
      (sum, { text_bytes, image_bytes }) => sum + text_bytes + image_bytes,
      0,
    ),
  transferAll: async (tx, { from, to }) => {
    const chats = await readSharedChats(tx, from.id)
    if (chats.length === 0) return []
    const limited = { owner: to.id, added: chats.length, isNewOwner: true }
    await rowLimits.lockAndCheck(tx, "chats", limited)
    // Projects belong to one person, and so does the file that a chat was imported from.
    const set = { user_id: to.id, folder: null, import_key: null, pinned: 0 as const }
    await tx
      .updateTable("chats")
      .set(set)
      .where("user_id", "=", from.id)
      .where("shared", "=", 1)
      .execute()
    for (const user_id of [from.id, to.id]) {
      await bus.publish(tx, { topic: "chats", user_id, id: null })
    }
    return chats.map(({ id }) => id)
  },
})

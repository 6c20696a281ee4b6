import { deleteInChunks } from "../db/chunked-queries.ts"
import type { Tx } from "../db/database.ts"

/** Messages may have several megabytes each. */
const messagesPerStatement = 20
/** Images may have up to 28 MB each. */
const imagesPerStatement = 4

const deleteImages = (tx: Tx, messageIds: readonly string[]): Promise<void> => {
  const images = tx.selectFrom("chat_images").where("message_id", "in", messageIds)
  return deleteInChunks<string>({
    next: async (last = "") => {
      const rows = await images
        .select("id")
        .where("id", ">", last)
        .orderBy("id")
        .limit(imagesPerStatement)
        .execute()
      return rows.map(({ id }) => id)
    },
    remove: ({ rows }) => tx.deleteFrom("chat_images").where("id", "in", rows).execute(),
  })
}

/** Deletes a chat and its messages, of which there may be 20,000, with gigabytes of images. */
export const deleteChat = async (tx: Tx, id: string): Promise<void> => {
  const messages = tx.selectFrom("chat_messages").where("chat_id", "=", id)
  await deleteInChunks<{ id: string; position: number }>({
    next: (last) =>
      messages
        .select(["id", "position"])
        .where("position", ">", last?.position ?? -1)
        .orderBy("position")
        .limit(messagesPerStatement)
        .execute(),
    remove: async ({ first, last, rows }) => {
      await deleteImages(
        tx,
        rows.map((row) => row.id),
      )
      await tx
        .deleteFrom("chat_messages")
        .where("chat_id", "=", id)
        .where("position", ">=", first.position)
        .where("position", "<=", last.position)
        .execute()
    },
  })
  await tx.deleteFrom("chats").where("id", "=", id).execute()
}

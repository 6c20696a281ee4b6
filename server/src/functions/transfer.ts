import type { Bus } from "../bus/bus.ts"
import type { Reader } from "../db/database.ts"
import type { TransferableObjects } from "../ownership/transfer.ts"

/** What the versions of a user's functions and the values they store take of the storage. */
const countBytes = async (reader: Reader, ownerId: string): Promise<number> => {
  const own = reader.selectFrom("functions").where("functions.user_id", "=", ownerId)
  const versions = await own
    .innerJoin("function_versions", "function_versions.function_id", "functions.id")
    .select(["content", "code"])
    .execute()
  const items = await own
    .innerJoin("function_items", "function_items.function_id", "functions.id")
    .select(["key", "value"])
    .execute()
  const texts = [
    ...versions.flatMap(({ content, code }) => [content, code]),
    ...items.flatMap(({ key, value }) => [key, value]),
  ]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/**
 * Hands functions over to another administrator, whose storage they then count toward. To others
 * they are not handed over: functions remain when their author's account is deleted.
 */
export const createFunctionTransfer = ({ bus }: { bus: Bus }): TransferableObjects => ({
  type: "function",
  bytes: countBytes,
  transferAll: async (tx, { from, to }) => {
    if (to.role !== "admin") return []
    const query = tx.updateTable("functions").set({ user_id: to.id })
    const moved = await query.where("user_id", "=", from.id).returning("id").execute()
    if (moved.length > 0) await bus.publish(tx, { topic: "functions" })
    return moved.map(({ id }) => id)
  },
})

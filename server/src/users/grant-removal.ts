import type { Tx } from "../db/database.ts"

/** Removes all grants to a deleted user or group. */
export const removeGrantsTo = async (tx: Tx, type: "user" | "group", id: string): Promise<void> => {
  await tx
    .deleteFrom("access_grants")
    .where("principal_type", "=", type)
    .where("principal_id", "=", id)
    .execute()
}

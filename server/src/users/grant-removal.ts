import type { Tx } from "../db/database.ts"

/** Removes the grants on a user's prompts, which are deleted together with the user. */
export const removeGrantsOnPrompts = async (tx: Tx, ownerId: string): Promise<void> => {
  await tx
    .deleteFrom("access_grants")
    .where("resource_type", "=", "prompt")
    .where("resource_id", "in", (eb) =>
      eb.selectFrom("prompts").select("id").where("user_id", "=", ownerId),
    )
    .execute()
}

/** Removes all grants to a deleted user or group. */
export const removeGrantsTo = async (tx: Tx, type: "user" | "group", id: string): Promise<void> => {
  await tx
    .deleteFrom("access_grants")
    .where("principal_type", "=", type)
    .where("principal_id", "=", id)
    .execute()
}

import type { Tx } from "../db/database.ts"

/**
 * Held by whoever adds grants, and by deletions that must not overlook a grant. Acquire it after
 * all other locks, and before writing rows.
 */
export const grantsLock = "grants"

/** Removes the grants on what is deleted together with a user. */
export const removeGrantsOnObjectsOf = async (tx: Tx, ownerId: string): Promise<void> => {
  const objects = { prompt: "prompts", collection: "collections", model: "models" } as const
  for (const [type, table] of Object.entries(objects)) {
    await tx
      .deleteFrom("access_grants")
      .where("resource_type", "=", type)
      .where("resource_id", "in", (eb) =>
        eb.selectFrom(table).select("id").where("user_id", "=", ownerId),
      )
      .execute()
  }
}

/** Removes all grants to a deleted user or group. */
export const removeGrantsTo = async (tx: Tx, type: "user" | "group", id: string): Promise<void> => {
  await tx
    .deleteFrom("access_grants")
    .where("principal_type", "=", type)
    .where("principal_id", "=", id)
    .execute()
}

import type { Tx } from "../db/database.ts"

/** Takes back all that was granted to somebody who is no more. */
export const dropGrants = async (tx: Tx, type: "user" | "group", id: string): Promise<void> => {
  await tx
    .deleteFrom("access_grants")
    .where("principal_type", "=", type)
    .where("principal_id", "=", id)
    .execute()
}

import type { Database, Reader } from "../db/database.ts"

/** Whose a key is; a service key is its group's. */
export interface KeyHolder {
  userId: string | null
  groupId: string | null
}

interface Member {
  isManager: boolean
  isAdministrator: boolean
}

/** Reads who owns and manages what limits are for. */
export const createTargetStore = (db: Database) => ({
  findKeyHolder: async (reader: Reader, keyId: string): Promise<KeyHolder | undefined> => {
    const row = await reader
      .selectFrom("api_keys")
      .select(["user_id", "group_id"])
      .where("id", "=", keyId)
      .executeTakeFirst()
    return row && { userId: row.user_id, groupId: row.group_id }
  },

  findMember: async (
    reader: Reader,
    groupId: string,
    userId: string,
  ): Promise<Member | undefined> => {
    const row = await reader
      .selectFrom("group_members")
      .innerJoin("users", "users.id", "group_members.user_id")
      .select(["group_members.role as memberRole", "users.role"])
      .where("group_id", "=", groupId)
      .where("user_id", "=", userId)
      .executeTakeFirst()
    return row && { isManager: row.memberRole === "manager", isAdministrator: row.role === "admin" }
  },

  managedGroupIds: async (userId: string, reader: Reader = db.read): Promise<string[]> => {
    const rows = await reader
      .selectFrom("group_members")
      .select("group_id")
      .where("user_id", "=", userId)
      .where("role", "=", "manager")
      .execute()
    return rows.map(({ group_id }) => group_id)
  },

  /** Keys of the user, and service keys of the groups. */
  keyIdsOf: async (
    { userId, groupIds }: { userId: string; groupIds: readonly string[] },
    reader: Reader = db.read,
  ): Promise<string[]> => {
    const rows = await reader
      .selectFrom("api_keys")
      .select("id")
      .where(({ eb, or }) =>
        or([
          eb("user_id", "=", userId),
          ...(groupIds.length > 0 ? [eb("group_id", "in", groupIds)] : []),
        ]),
      )
      .execute()
    return rows.map(({ id }) => id)
  },
})

export type TargetStore = ReturnType<typeof createTargetStore>

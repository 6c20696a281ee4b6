import type { Database, Reader, Tx } from "../db/database.ts"
import type { Caller } from "../http/caller.ts"
import { AccessGrant } from "./schema.ts"

export type ResourceType = "model" | "connection" | "collection" | "function"

/** Who is asked about: a caller, or an owner who is not here. */
export type Principal = Pick<Caller, "groups"> & { user: Pick<Caller["user"], "id" | "role"> }

const reaches = ({ principal_type, principal_id }: AccessGrant, { user, groups }: Principal) =>
  principal_id === "*" ||
  (principal_type === "user" ? principal_id === user.id : groups.has(principal_id))

/** Whether grants give `permission`; write includes read, and an administrator has all. */
export const permits = (
  grants: readonly AccessGrant[],
  principal: Principal,
  permission: AccessGrant["permission"],
): boolean =>
  principal.user.role === "admin" ||
  grants.some(
    (grant) => (permission === "read" || grant.permission === "write") && reaches(grant, principal),
  )

export const createGrants = (db: Database) => ({
  /** All grants on resources of a type, or on those with these ids, by resource id. */
  byResource: async (
    type: ResourceType,
    reader: Reader = db.read,
    ids?: readonly string[],
  ): Promise<Map<string, AccessGrant[]>> => {
    const ofType = reader.selectFrom("access_grants").selectAll().where("resource_type", "=", type)
    const rows = await (ids ? ofType.where("resource_id", "in", ids) : ofType).execute()
    const byId = new Map<string, AccessGrant[]>()
    for (const { resource_id, resource_type, ...grant } of rows) {
      const known = byId.get(resource_id)
      const parsed = AccessGrant.parse(grant)
      if (known) known.push(parsed)
      else byId.set(resource_id, [parsed])
    }
    return byId
  },

  /** The grants on one resource. */
  of: async (type: ResourceType, id: string, reader: Reader = db.read): Promise<AccessGrant[]> => {
    const rows = await reader
      .selectFrom("access_grants")
      .select(["principal_type", "principal_id", "permission"])
      .where("resource_type", "=", type)
      .where("resource_id", "=", id)
      .execute()
    return rows.map((row) => AccessGrant.parse(row))
  },

  replace: async (
    tx: Tx,
    type: ResourceType,
    id: string,
    grants: readonly AccessGrant[],
  ): Promise<void> => {
    await tx
      .deleteFrom("access_grants")
      .where("resource_type", "=", type)
      .where("resource_id", "=", id)
      .execute()
    if (grants.length === 0) return
    const rows = grants.map((grant) => ({ resource_type: type, resource_id: id, ...grant }))
    await tx
      .insertInto("access_grants")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
})

export type Grants = ReturnType<typeof createGrants>

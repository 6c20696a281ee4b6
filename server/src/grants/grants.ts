import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import { grantsLock } from "../users/grant-removal.ts"
import { rejectOwnerBeingDeleted } from "../users/reject-owner-being-deleted.ts"
import type { AccessGrant } from "./schema.ts"

export type ResourceType = "model" | "connection" | "collection" | "function" | "prompt"

/** The other types are deleted at once, or remain when their owner is deleted. */
const tablesDeletedWithOwner = { collection: "collections", prompt: "prompts" } as const

/** @throws {Failure} `conflict` if the resource is being deleted with its owner */
const requireOwnerToRemain = async (tx: Tx, type: ResourceType, id: string): Promise<void> => {
  if (type !== "collection" && type !== "prompt") return
  const table = tablesDeletedWithOwner[type]
  const row = await tx.selectFrom(table).select("user_id").where("id", "=", id).executeTakeFirst()
  if (row) await rejectOwnerBeingDeleted(tx, row.user_id)
}

/** Maximum grants listed per resource; grants to everyone come first. */
export const maxListedGrants = 20

const grantKey = ({ principal_type, principal_id, permission }: AccessGrant): string =>
  JSON.stringify([principal_type, principal_id, permission])

/** Whether two lists grant the same, regardless of order and duplicates. */
export const areSameGrants = (
  one: readonly AccessGrant[],
  other: readonly AccessGrant[],
): boolean => {
  const [left, right] = [new Set(one.map(grantKey)), new Set(other.map(grantKey))]
  return left.size === right.size && [...left].every((key) => right.has(key))
}

export const grantColumns = ["principal_type", "principal_id", "permission"] as const

type GrantRow = Record<(typeof grantColumns)[number], string>

/** Stored grants were validated and can be numerous, so they are not parsed again. */
export const toGrant = (row: GrantRow): AccessGrant => ({
  principal_type: row.principal_type === "group" ? "group" : "user",
  principal_id: row.principal_id,
  permission: row.permission === "write" ? "write" : "read",
})

/** Stores the grants on resources. */
export interface Grants {
  /** All grants on resources of a type, or on those with these ids, by resource id. */
  groupByResource(
    type: ResourceType,
    reader?: Reader,
    ids?: readonly string[],
  ): Promise<Map<string, AccessGrant[]>>
  /** The grants on one resource. */
  listForResource(type: ResourceType, id: string, reader?: Reader): Promise<AccessGrant[]>
  /** Lets a group change resources of a type, or only use them. */
  addForGroup(
    tx: Tx,
    options: {
      type: ResourceType
      ids: readonly string[]
      groupId: string
      permission?: AccessGrant["permission"]
    },
  ): Promise<void>
  /** Call before writing the resource's row; see `grantsLock`. */
  replace(tx: Tx, type: ResourceType, id: string, grants: readonly AccessGrant[]): Promise<void>
}

export const createGrants = (db: Database): Grants => ({
  groupByResource: async (type, reader = db.read, ids) => {
    const ofType = reader.selectFrom("access_grants").selectAll().where("resource_type", "=", type)
    const rows = await (ids ? ofType.where("resource_id", "in", ids) : ofType).execute()
    const rowsByResource = Map.groupBy(rows, ({ resource_id }) => resource_id)
    return new Map([...rowsByResource].map(([id, some]) => [id, some.map(toGrant)]))
  },

  listForResource: async (type, id, reader = db.read) => {
    const rows = await reader
      .selectFrom("access_grants")
      .select(grantColumns)
      .where("resource_type", "=", type)
      .where("resource_id", "=", id)
      .execute()
    return rows.map(toGrant)
  },

  addForGroup: async (tx, { type, ids, groupId, permission = "write" }) => {
    await db.acquireLock(tx, grantsLock)
    const principal = { principal_type: "group", principal_id: groupId, permission }
    await readInChunks(ids, (chunk) =>
      tx
        .insertInto("access_grants")
        .values(chunk.map((id) => ({ resource_type: type, resource_id: id, ...principal })))
        .onConflict((conflict) => conflict.doNothing())
        .returning("resource_id")
        .execute(),
    )
  },

  replace: async (tx, type, id, grants) => {
    if (grants.length > 0) {
      await db.acquireLock(tx, grantsLock)
      await requireOwnerToRemain(tx, type, id)
    }
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

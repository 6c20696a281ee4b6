import type { Reader } from "../db/database.ts"
import type { ObjectsInUse } from "../http/in-use.ts"
import {
  type Affected,
  describeAffected,
  type NamedObject,
  readObjectNames,
} from "../users/affected-objects.ts"

const readServiceKeys = async (reader: Reader, groupId: string): Promise<Affected[]> => {
  const keys = reader.selectFrom("api_keys").select(["id", "name"]).where("group_id", "=", groupId)
  const unshared = { type: "api_key", shared_count: 0, used_by: [] }
  return (await keys.orderBy("id").execute()).map((key) => ({ ...key, ...unshared }))
}

/**
 * The objects that a group was given access to, which its members lose with the group, and its
 * service keys, which end with it.
 */
export const readObjectsOfGroup = async (
  reader: Reader,
  groupId: string,
): Promise<ObjectsInUse> => {
  const grants = await reader
    .selectFrom("access_grants")
    .select(["resource_type", "resource_id"])
    .distinct()
    .where("principal_type", "=", "group")
    .where("principal_id", "=", groupId)
    .orderBy("resource_id")
    .execute()
  const affected: Affected[] = []
  for (const [type, all] of Map.groupBy(grants, ({ resource_type }) => resource_type)) {
    const ids = all.map(({ resource_id }) => resource_id)
    for (const { id, name } of (await readObjectNames(reader, type, ids)).values()) {
      const object: NamedObject = { type, id, name }
      affected.push({ ...object, shared_count: 0, used_by: [] })
    }
  }
  affected.push(...(await readServiceKeys(reader, groupId)))
  return describeAffected(reader, affected)
}

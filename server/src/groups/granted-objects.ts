import type { Reader } from "../db/database.ts"
import type { ObjectsInUse } from "../http/in-use.ts"
import {
  type Affected,
  describeAffected,
  type NamedObject,
  readObjectNames,
} from "../users/affected-objects.ts"

/** The objects that a group was given access to. Its members lose it with the group. */
export const readGrantedObjects = async (
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
  return describeAffected(reader, affected)
}

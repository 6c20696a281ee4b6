import { readInChunks } from "../db/chunked-queries.ts"
import type { Reader } from "../db/database.ts"
import { type NameSource, nameSources, readNames } from "../db/object-names.ts"
import type { ObjectsInUse } from "../http/in-use.ts"

type AffectedObject = ObjectsInUse["items"][number]
export type NamedObject = AffectedObject["used_by"][number]

/** An object that a deletion affects, before its details are read. */
export interface Affected extends NamedObject {
  /** Number of accounts and groups that it is shared with. */
  shared_count: number
  used_by: readonly NamedObject[]
}

const maxItemsPerType = 20
const maxDetails = 5

const sources: Readonly<Record<string, NameSource>> = nameSources

/** The names of these users; unknown for deleted accounts. */
export const readUserNames = async (
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await readInChunks([...new Set(ids)], (chunk) =>
    reader.selectFrom("users").select(["id", "name"]).where("id", "in", chunk).execute(),
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The names and owners of objects of one type; deleted objects are omitted. */
export const readObjectNames = async (reader: Reader, type: string, ids: readonly string[]) => {
  const source = sources[type]
  const rows = source ? await readNames(reader, source, ids) : []
  return new Map(rows.map((row) => [row.id, row]))
}

const readPrincipals = async (
  reader: Reader,
  { type, id }: NamedObject,
): Promise<NamedObject[]> => {
  const grants = await reader
    .selectFrom("access_grants")
    .select(["principal_type", "principal_id"])
    .distinct()
    .where("resource_type", "=", type)
    .where("resource_id", "=", id)
    // Everyone (`*`) comes before every id.
    .orderBy("principal_id")
    .limit(maxDetails)
    .execute()
  const userIds = grants.filter((grant) => grant.principal_type === "user")
  const groupIds = grants.filter((grant) => grant.principal_type === "group")
  const names = await readUserNames(
    reader,
    userIds.map(({ principal_id }) => principal_id),
  )
  const groups = await readInChunks(
    groupIds.map(({ principal_id }) => principal_id),
    (chunk) =>
      reader.selectFrom("groups").select(["id", "name"]).where("id", "in", chunk).execute(),
  )
  const groupNames = new Map(groups.map((group) => [group.id, group.name]))
  return grants.map(({ principal_type, principal_id }) => {
    if (principal_id === "*") return { type: "everyone", id: "*", name: "" }
    const known = principal_type === "user" ? names : groupNames
    return { type: principal_type, id: principal_id, name: known.get(principal_id) ?? "" }
  })
}

/** The first objects of each type, those shared most widely first, with who uses them. */
export const describeAffected = async (
  reader: Reader,
  affected: readonly Affected[],
): Promise<ObjectsInUse> => {
  const byType = Map.groupBy(affected, ({ type }) => type)
  const items: AffectedObject[] = []
  for (const [type, all] of byType) {
    const first = all
      .toSorted((a, b) => b.shared_count + b.used_by.length - a.shared_count - a.used_by.length)
      .slice(0, maxItemsPerType)
    const names = await readObjectNames(
      reader,
      type,
      first.map(({ id }) => id),
    )
    const owners = await readUserNames(
      reader,
      [...names.values()].flatMap(({ owner }) => owner ?? []),
    )
    for (const object of first) {
      const { id, name, shared_count, used_by } = object
      const owner = names.get(id)?.owner ?? ""
      const ownerName = owners.get(owner)
      items.push({
        ...{ type, id, name, shared_count },
        owner: ownerName === undefined ? null : { id: owner, name: ownerName },
        shared_with: shared_count > 0 ? await readPrincipals(reader, object) : [],
        used_by: used_by.slice(0, maxDetails),
        used_count: used_by.length,
      })
    }
  }
  const counts = Object.fromEntries([...byType].map(([type, all]) => [type, all.length]))
  return { total: affected.length, counts, items }
}

import {
  ChunkedReferences,
  createProjector,
  includesAttribute,
  type ReferenceIds,
  requestsSubAttribute,
  type ScimJson,
  schemaUrns,
} from "@portico/scim"
import { sql } from "kysely"
import type { Database, Reader } from "../db/database.ts"
import { countRows } from "../db/paged-queries.ts"
import { type StoredGroup, toStoredGroup } from "../groups/store.ts"
import {
  createFindOne,
  groupLocation,
  metaJson,
  omitNull,
  type ResourceView,
  type ResponseShape,
  userLocation,
} from "./resource.ts"
import { groupType } from "./resource-types.ts"

interface MemberRow {
  id: string
  name: string
}

const membersJson = (members: ReferenceIds, base: string): ChunkedReferences =>
  ChunkedReferences.of(members, { type: "User", location: userLocation(base, "") })

/** Members with their names, which belong to the user resources. */
const namedMembersJson = (members: readonly MemberRow[], base: string): ScimJson[] =>
  members.map(({ id, name }) => ({
    value: id,
    $ref: userLocation(base, id),
    type: "User",
    display: name,
  }))

/** SCIM representation of a group. */
const groupJson = (
  group: StoredGroup,
  { members, base }: { members: unknown; base: string },
): ScimJson =>
  omitNull({
    schemas: [schemaUrns.group],
    id: group.id,
    externalId: group.external_id,
    displayName: group.name,
    members,
    meta: metaJson("Group", groupLocation(base, group.id), group),
  })

/** Groups as SCIM JSON. */
export const createGroupView = (db: Database): ResourceView => {
  const joinedIds =
    db.dialect === "sqlite"
      ? sql<string>`group_concat(user_id, ' ')`
      : sql<string>`string_agg(user_id, ' ' order by user_id)`

  const membersOf = async (ids: readonly string[], reader: Reader) => {
    const { rows } = await sql<ReferenceIds & { group_id: string }>`
      select group_id, count(*) as count, ${joinedIds} as ids
      from (
        select group_id, user_id from group_members where group_id in (${sql.join(ids)})
        order by group_id, user_id
      ) as sorted
      group by group_id
    `.execute(reader)
    return new Map(rows.map((row) => [row.group_id, row]))
  }

  const namedMembersOf = async (ids: readonly string[], reader: Reader) => {
    const rows = await reader
      .selectFrom("group_members")
      .innerJoin("users", "users.id", "group_members.user_id")
      .select(["group_id", "users.id", "users.name"])
      .where("group_id", "in", ids)
      .orderBy("group_id")
      .orderBy("user_id")
      .execute()
    return Map.groupBy(rows, ({ group_id }) => group_id)
  }

  /** Members as projected; their names are read only if requested. */
  const readMembers = async (
    ids: readonly string[],
    { projection, base }: ResponseShape,
    reader: Reader,
  ): Promise<(id: string) => unknown> => {
    if (ids.length === 0 || !includesAttribute(groupType, projection, "members")) return () => []
    if (requestsSubAttribute(groupType, projection, ["members", "display"])) {
      const members = await namedMembersOf(ids, reader)
      return (id) => namedMembersJson(members.get(id) ?? [], base)
    }
    const members = await membersOf(ids, reader)
    return (id) => membersJson(members.get(id) ?? { ids: null, count: 0 }, base)
  }

  const page: ResourceView["page"] = async (
    { where, order, limit, offset },
    shape,
    reader = db.read,
  ) => {
    const rows = await reader
      .selectFrom("groups")
      .selectAll()
      .where(where)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
      .execute()
    const ids = rows.map(({ id }) => id)
    const membersOfGroup = await readMembers(ids, shape, reader)
    const project = createProjector(groupType, shape.projection)
    return rows.map((row) => {
      const group = toStoredGroup(row)
      return project(groupJson(group, { members: membersOfGroup(row.id), base: shape.base }))
    })
  }

  return {
    type: groupType,
    count: (where) => countRows(db.read.selectFrom("groups").where(where)),
    page,
    findOne: createFindOne(groupType, page),
  }
}

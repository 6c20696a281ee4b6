import { type RawBuilder, sql } from "kysely"
import type { Database, Reader } from "../db/database.ts"
import type { Group } from "../groups/schema.ts"
import { type StoredUser, toEmail, toUser } from "../users/rows.ts"
import { Source, type UserEmail } from "../users/schema.ts"
import { createProjector, type Json, type Projection, requests, wants } from "./projection.ts"
import { type GroupMember, groupJson, type MemberRow, userJson } from "./represent.ts"
import { groupType, type ResourceType, userType } from "./resource-types.ts"

export interface Page {
  where: RawBuilder<boolean>
  order: RawBuilder<unknown>
  limit: number
  offset: number
}

/** How a reply is to look: what it holds, and what its addresses begin with. */
export interface Shape {
  projection: Projection
  base: string
}

/** One kind of resource as SCIM sees it: rows of the database in, JSON out. */
export interface View {
  type: ResourceType
  count(where: RawBuilder<boolean>): Promise<number>
  page(page: Page, shape: Shape): Promise<Json[]>
}

export type SomeGroup = Omit<Group, "member_count">

const byOwner = <T>(rows: readonly T[], ownerOf: (row: T) => string): Map<string, T[]> =>
  Map.groupBy(rows, ownerOf)

export const createViews = (db: Database, deleteMode: "deactivate" | "hide") => {
  const visible =
    deleteMode === "hide"
      ? sql<boolean>`users.hidden = 0 and users.deleted_at is null`
      : sql<boolean>`users.hidden = 0`

  const emailsOf = async (ids: readonly string[], reader: Reader) => {
    const rows = await reader
      .selectFrom("user_emails")
      .selectAll()
      .where("user_id", "in", ids)
      .orderBy("position")
      .execute()
    return byOwner(rows, ({ user_id }) => user_id)
  }

  const groupsOf = async (ids: readonly string[], reader: Reader) => {
    const rows = await reader
      .selectFrom("group_members")
      .innerJoin("groups", "groups.id", "group_members.group_id")
      .select(["user_id", "groups.id", "groups.name"])
      .where("user_id", "in", ids)
      .orderBy("groups.id")
      .execute()
    return byOwner(rows, ({ user_id }) => user_id)
  }

  const membersOf = async (ids: readonly string[], reader: Reader) => {
    const rows = await reader
      .selectFrom("group_members")
      .select(["group_id", "user_id as id"])
      .where("group_id", "in", ids)
      .orderBy("group_id")
      .orderBy("user_id")
      .execute()
    return byOwner(rows, ({ group_id }) => group_id)
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
    return byOwner(rows, ({ group_id }) => group_id)
  }

  const none = new Map<string, never[]>()

  /** Reads what belongs to users, unless the reply does not hold it. */
  const representUsers = async (
    users: readonly StoredUser[],
    { projection, base }: Shape,
    reader: Reader = db.read,
  ): Promise<Json[]> => {
    const ids = users.map(({ id }) => id)
    const wanted = (name: string) => ids.length > 0 && wants(userType, projection, name)
    const emails = wanted("emails") ? await emailsOf(ids, reader) : none
    const groups: Map<string, MemberRow[]> = wanted("groups") ? await groupsOf(ids, reader) : none
    const project = createProjector(userType, projection)
    return users.map((user) => {
      const own: UserEmail[] = (emails.get(user.id) ?? []).map(toEmail)
      return project(userJson(user, { emails: own, groups: groups.get(user.id) ?? [], base }))
    })
  }

  const representGroups = async (
    groups: readonly SomeGroup[],
    { projection, base }: Shape,
    reader: Reader = db.read,
  ): Promise<Json[]> => {
    const ids = groups.map(({ id }) => id)
    const wanted = ids.length > 0 && wants(groupType, projection, "members")
    const named = requests(groupType, projection, ["members", "display"])
    const read = named ? namedMembersOf : membersOf
    const members: Map<string, GroupMember[]> = wanted ? await read(ids, reader) : none
    const project = createProjector(groupType, projection)
    return groups.map((group) =>
      project(groupJson(group, { members: members.get(group.id) ?? [], base })),
    )
  }

  const users: View = {
    type: userType,
    count: async (where) => {
      const { total } = await db.read
        .selectFrom("users")
        .where(sql<boolean>`${visible} and ${where}`)
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },
    page: async ({ where, order, limit, offset }, shape) => {
      const rows = await db.read
        .selectFrom("users")
        .selectAll()
        .where(sql<boolean>`${visible} and ${where}`)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .execute()
      return representUsers(rows.map(toUser), shape)
    },
  }

  const groups: View = {
    type: groupType,
    count: async (where) => {
      const { total } = await db.read
        .selectFrom("groups")
        .where(where)
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },
    page: async ({ where, order, limit, offset }, shape) => {
      const rows = await db.read
        .selectFrom("groups")
        .selectAll()
        .where(where)
        .orderBy(order)
        .limit(limit)
        .offset(offset)
        .execute()
      const found = rows.map((row) => ({ ...row, source: Source.parse(row.source) }))
      return representGroups(found, shape)
    },
  }

  return { users, groups, representUsers, representGroups }
}

export type Views = ReturnType<typeof createViews>

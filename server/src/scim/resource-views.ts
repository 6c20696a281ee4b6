import { type RawBuilder, sql } from "kysely"
import type { Database, Reader } from "../db/database.ts"
import { jsonRowsSubquery } from "../db/json-subquery.ts"
import { RecordSource } from "../users/schema.ts"
import { type EmailColumns, toEmail, toUser } from "../users/user-rows.ts"
import type { MemberIds } from "./member-list.ts"
import {
  createProjector,
  includesAttribute,
  type Projection,
  requestsSubAttribute,
  type ScimJson,
} from "./projection.ts"
import {
  groupJson,
  type MemberRow,
  membersJson,
  namedMembersJson,
  userJson,
} from "./representation.ts"
import { groupType, type ResourceType, userType } from "./resource-types.ts"

export interface ResourceQuery {
  where: RawBuilder<boolean>
  order: RawBuilder<unknown>
  limit: number
  offset: number
}

/** Shape of a response: its attributes, and the base URL of its links. */
export interface ResponseShape {
  projection: Projection
  base: string
}

/** Queries one resource type: database rows in, SCIM JSON out. */
export interface ResourceView {
  type: ResourceType
  count(where: RawBuilder<boolean>): Promise<number>
  page(page: ResourceQuery, shape: ResponseShape, reader?: Reader): Promise<ScimJson[]>
  findOne(id: string, shape: ResponseShape, reader?: Reader): Promise<ScimJson | undefined>
}

/** Parses rows that a subquery aggregated as JSON text. */
const parseRows = <T>(text: string | null | undefined): T[] => JSON.parse(text ?? "[]") as T[]

export const createResourceViews = (db: Database, deleteMode: "deactivate" | "hide") => {
  const visible =
    deleteMode === "hide"
      ? sql<boolean>`users.hidden = 0 and users.deleted_at is null`
      : sql<boolean>`users.hidden = 0`

  const emailsOfUser = jsonRowsSubquery(db, {
    fields: { value: "value", type: "type", display: "display", is_primary: "is_primary" },
    from: "user_emails where user_emails.user_id = users.id",
    order: "position",
  })
  const groupsOfUser = jsonRowsSubquery(db, {
    fields: { id: "groups.id", name: "groups.name" },
    from: `group_members inner join groups on groups.id = group_members.group_id
      where group_members.user_id = users.id`,
    order: "groups.id",
  })

  /**
   * One query including each user's emails and groups, if the response contains them. The page is a
   * subquery: otherwise PostgreSQL would aggregate them for the rows that the offset skips, too.
   */
  const usersPage: ResourceView["page"] = async (
    { where, order, limit, offset },
    { projection, base },
    reader = db.read,
  ) => {
    const page = reader
      .selectFrom("users")
      .selectAll()
      .where(sql<boolean>`${visible} and ${where}`)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
    const rows = await reader
      .selectFrom(page.as("users"))
      .selectAll()
      .$if(includesAttribute(userType, projection, "emails"), (query) =>
        query.select(emailsOfUser.as("emails_json")),
      )
      .$if(includesAttribute(userType, projection, "groups"), (query) =>
        query.select(groupsOfUser.as("groups_json")),
      )
      .orderBy(order)
      .execute()
    const project = createProjector(userType, projection)
    return rows.map(({ emails_json, groups_json, ...row }) => {
      const emails = parseRows<EmailColumns>(emails_json).map(toEmail)
      const groups = parseRows<MemberRow>(groups_json)
      return project(userJson(toUser(row), { emails, groups, base }))
    })
  }

  const joinedIds =
    db.dialect === "sqlite"
      ? sql<string>`group_concat(user_id, ' ')`
      : sql<string>`string_agg(user_id, ' ' order by user_id)`

  const membersOf = async (ids: readonly string[], reader: Reader) => {
    const { rows } = await sql<MemberIds & { group_id: string }>`
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

  const groupsPage: ResourceView["page"] = async (
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
      const group = { ...row, source: RecordSource.parse(row.source) }
      return project(groupJson(group, { members: membersOfGroup(row.id), base: shape.base }))
    })
  }

  const createFindOne =
    (table: "users" | "groups", page: ResourceView["page"]): ResourceView["findOne"] =>
    async (id, shape, reader) => {
      const column = sql.ref(`${table}.id`)
      const where = sql<boolean>`${column} = ${id}`
      const [found] = await page({ where, order: column, limit: 1, offset: 0 }, shape, reader)
      return found
    }

  const users: ResourceView = {
    type: userType,
    count: async (where) => {
      const { total } = await db.read
        .selectFrom("users")
        .where(sql<boolean>`${visible} and ${where}`)
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },
    page: usersPage,
    findOne: createFindOne("users", usersPage),
  }

  const groups: ResourceView = {
    type: groupType,
    count: async (where) => {
      const { total } = await db.read
        .selectFrom("groups")
        .where(where)
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },
    page: groupsPage,
    findOne: createFindOne("groups", groupsPage),
  }

  return { users, groups }
}

export type ResourceViews = ReturnType<typeof createResourceViews>

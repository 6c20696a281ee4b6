import { createProjector, includesAttribute, type ScimJson, schemaUrns } from "@portico/scim"
import { sql } from "kysely"
import type { Database } from "../db/database.ts"
import { jsonRowsSubquery } from "../db/json-subquery.ts"
import { countRows } from "../db/paged-queries.ts"
import type { UserEmail } from "../users/schema.ts"
import {
  type EmailColumns,
  type StoredUser,
  toStoredUser,
  toUserEmail,
} from "../users/user-rows.ts"
import {
  createFindOne,
  groupLocation,
  metaJson,
  omitNull,
  type ResourceView,
  userLocation,
} from "./resource.ts"
import { userType } from "./resource-types.ts"

interface GroupReference {
  id: string
  name: string
}

const emailJson = ({ value, display, type, primary }: UserEmail): ScimJson =>
  omitNull({ value, display, type, primary })

/** SCIM representation of a user; attributes without a value are omitted. */
const userJson = (
  user: StoredUser,
  {
    emails,
    groups,
    base,
  }: { emails: readonly UserEmail[]; groups: readonly GroupReference[]; base: string },
): ScimJson => {
  const name = omitNull({ familyName: user.family_name, givenName: user.given_name })
  return omitNull({
    schemas: [schemaUrns.user],
    id: user.id,
    externalId: user.external_id,
    userName: user.email,
    name: Object.keys(name).length > 0 ? name : null,
    displayName: user.display_name,
    nickName: user.nick_name,
    active: user.active,
    emails: emails.length > 0 ? emails.map(emailJson) : null,
    groups:
      groups.length > 0
        ? groups.map((group) => ({
            value: group.id,
            $ref: groupLocation(base, group.id),
            display: group.name,
            type: "direct",
          }))
        : null,
    meta: metaJson("User", userLocation(base, user.id), user),
  })
}

/** Parses rows that a subquery aggregated as JSON text. */
const parseRows = <T>(text: string | null | undefined): T[] => JSON.parse(text ?? "[]") as T[]

/** Users as SCIM JSON. */
export const createUserView = (db: Database, deleteMode: "deactivate" | "hide"): ResourceView => {
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
  const page: ResourceView["page"] = async (
    { where, order, limit, offset },
    { projection, base },
    reader = db.read,
  ) => {
    const pageOfUsers = reader
      .selectFrom("users")
      .selectAll()
      .where(sql<boolean>`${visible} and ${where}`)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
    const rows = await reader
      .selectFrom(pageOfUsers.as("users"))
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
      const emails = parseRows<EmailColumns>(emails_json).map(toUserEmail)
      const groups = parseRows<GroupReference>(groups_json)
      return project(userJson(toStoredUser(row), { emails, groups, base }))
    })
  }

  return {
    type: userType,
    count: (where) =>
      countRows(db.read.selectFrom("users").where(sql<boolean>`${visible} and ${where}`)),
    page,
    findOne: createFindOne(userType, page),
  }
}

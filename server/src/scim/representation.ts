import type { StoredGroup } from "../groups/store.ts"
import type { UserEmail } from "../users/schema.ts"
import type { StoredUser } from "../users/user-rows.ts"
import { schemaUrns } from "./attributes.ts"
import { type MemberIds, MemberList } from "./member-list.ts"
import type { ScimJson } from "./projection.ts"

/** Formats epoch milliseconds as RFC 3339. */
const time = (ms: number): string => new Date(ms).toISOString()

const omitNull = (json: Record<string, unknown>): ScimJson =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null))

const meta = (
  resourceType: "User" | "Group",
  location: string,
  { created_ms, updated_ms }: { created_ms: number; updated_ms: number },
): ScimJson => ({
  resourceType,
  created: time(created_ms),
  lastModified: time(updated_ms),
  location,
})

const userLocation = (base: string, id: string): string => `${base}/Users/${id}`
const groupLocation = (base: string, id: string): string => `${base}/Groups/${id}`

const emailJson = ({ value, display, type, primary }: UserEmail): ScimJson =>
  omitNull({ value, display, type, primary })

export interface MemberRow {
  id: string
  name: string
}

export const membersJson = (members: MemberIds, base: string): MemberList =>
  MemberList.of(members, userLocation(base, ""))

/** Members with their names, which belong to the user resources. */
export const namedMembersJson = (members: readonly MemberRow[], base: string): ScimJson[] =>
  members.map(({ id, name }) => ({
    value: id,
    $ref: userLocation(base, id),
    type: "User",
    display: name,
  }))

/** SCIM representation of a user; attributes without a value are omitted. */
export const userJson = (
  user: StoredUser,
  {
    emails,
    groups,
    base,
  }: { emails: readonly UserEmail[]; groups: readonly MemberRow[]; base: string },
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
    meta: meta("User", userLocation(base, user.id), user),
  })
}

/** SCIM representation of a group. */
export const groupJson = (
  group: StoredGroup,
  { members, base }: { members: unknown; base: string },
): ScimJson =>
  omitNull({
    schemas: [schemaUrns.group],
    id: group.id,
    externalId: group.external_id,
    displayName: group.name,
    members,
    meta: meta("Group", groupLocation(base, group.id), group),
  })

import { z } from "zod"
import { ListQuery } from "../http/pagination.ts"
import { RecordSource, SingleLineText } from "../users/schema.ts"

export const Group = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    external_id: z.string().nullable(),
    source: RecordSource,
    /** Whether requests of members can be charged to the group. */
    pays: z.boolean(),
    member_count: z.int(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "Group" })
export type Group = z.output<typeof Group>

const GroupName = SingleLineText.max(200)

export const NewGroup = z
  .object({
    name: GroupName,
    description: z.string().max(2000).default(""),
    pays: z.boolean().default(true),
  })
  .meta({ id: "NewGroup" })
export type NewGroup = z.output<typeof NewGroup>

export const GroupChanges = z
  .object({ name: GroupName, description: z.string().max(2000), pays: z.boolean() })
  .partial()
  .meta({ id: "GroupChanges" })
export type GroupChanges = z.output<typeof GroupChanges>

export const GroupMemberIds = z
  .object({ user_ids: z.array(z.string()).min(1).max(10_000) })
  .meta({ id: "MemberIds" })

export const NewGroupMembers = z
  .object({
    user_ids: z.array(z.string()).max(10_000).default([]),
    emails: z
      .array(z.string().max(254))
      .max(100)
      .default([])
      .describe(
        "Email addresses of more active accounts; managers who are not administrators add accounts only so",
      ),
  })
  .meta({ id: "NewGroupMembers" })
export type NewGroupMembers = z.output<typeof NewGroupMembers>

export const GroupListQuery = ListQuery.extend({
  order_by: z.enum(["name", "created_at"]).default("name"),
})
export type GroupListQuery = z.output<typeof GroupListQuery>

/** Managers change a group's members and its service keys. */
export const GroupRole = z.enum(["member", "manager"])
export type GroupRole = z.output<typeof GroupRole>

export const GroupMember = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: GroupRole,
})
export type GroupMember = z.output<typeof GroupMember>

export const MemberListQuery = ListQuery.extend({ id: z.string().max(200).optional() })
export type MemberListQuery = z.output<typeof MemberListQuery>

export const NamedGroup = z.object({ id: z.string(), name: z.string() })
export type NamedGroup = z.output<typeof NamedGroup>

export const OwnGroup = NamedGroup.extend({ role: GroupRole }).meta({ id: "OwnGroup" })
export type OwnGroup = z.output<typeof OwnGroup>

import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"

export const Role = z.enum(["admin", "user", "pending"])
export type Role = z.output<typeof Role>

export const RecordSource = z.enum(["local", "scim", "oidc"])
export type RecordSource = z.output<typeof RecordSource>

/**
 * An e-mail address as validated by browsers (WHATWG, `input type=email`); SCIM uses the same rule.
 */
export const EmailAddress = z
  .email({
    pattern: z.regexes.html5Email,
    ...withMessage(translatable("email_invalid")),
  })
  .max(254)

/** A name: a single line of display text. */
export const SingleLineText = z
  .string()
  .trim()
  .min(1, withMessage(translatable("name_required")))
  .regex(/^\P{Cc}*$/u, withMessage(translatable("name_not_one_line")))

export const DisplayName = SingleLineText.max(200)

export const Password = z.string().min(8).max(1000)

/** An additional e-mail address of an account. */
export const UserEmail = z.object({
  value: z.string(),
  type: z.string().nullable(),
  display: z.string().nullable(),
  primary: z.boolean(),
})
export type UserEmail = z.output<typeof UserEmail>

export const User = z
  .object({
    id: z.string(),
    /** The sign-in address, and SCIM's `userName`. */
    email: z.string(),
    name: z.string(),
    given_name: z.string().nullable(),
    family_name: z.string().nullable(),
    display_name: z.string().nullable(),
    nick_name: z.string().nullable(),
    external_id: z.string().nullable(),
    role: Role,
    active: z.boolean(),
    source: RecordSource,
    created_at: z.int(),
    updated_at: z.int(),
    last_active_at: z.int().nullable(),
    /** When the identity provider deleted it; inactive from then on. */
    deleted_at: z.int().nullable(),
    /** Whether its e-mail address was released for another account. */
    released: z.boolean(),
  })
  .meta({ id: "User" })
export type User = z.output<typeof User>

/** Changes to an account by an administrator; omitted fields stay unchanged. */
export const UserChanges = z
  .object({
    email: EmailAddress,
    name: DisplayName,
    role: Role,
    active: z.boolean(),
    password: Password,
  })
  .partial()
  .meta({ id: "UserChanges" })
export type UserChanges = z.output<typeof UserChanges>

export const UserListQuery = ListQuery.extend({
  order_by: z.enum(["name", "email", "role", "created_at", "last_active_at"]).default("created_at"),
  role: Role.optional(),
  active: z.stringbool().optional(),
})
export type UserListQuery = z.output<typeof UserListQuery>

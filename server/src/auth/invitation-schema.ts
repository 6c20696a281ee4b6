import { z } from "zod"
import { DisplayName, EmailAddress, Password } from "../users/schema.ts"

const hourSeconds = 3600
const daySeconds = 24 * hourSeconds

/** `void`: whoever created it is no longer an administrator. */
const InvitationState = z.enum(["open", "accepted", "revoked", "expired", "void"])
export type InvitationState = z.output<typeof InvitationState>

export const NewInvitation = z
  .object({
    /** The only address that may accept it; null for any. */
    email: EmailAddress.nullable().default(null),
    role: z.enum(["user", "admin"]).default("user"),
    /** Ids of the groups that the new account joins. */
    group_ids: z.array(z.string().max(200)).max(50).default([]),
    /** Seconds until the link expires. */
    expires_in: z
      .int()
      .min(hourSeconds)
      .max(90 * daySeconds)
      .default(7 * daySeconds),
  })
  .meta({ id: "NewInvitation" })
export type NewInvitation = z.output<typeof NewInvitation>

export const Invitation = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    role: z.enum(["user", "admin"]),
    groups: z.array(z.object({ id: z.string(), name: z.string() })),
    /** Name of the administrator who created it. */
    created_by: z.string(),
    created_at: z.int(),
    expires_at: z.int(),
    state: InvitationState,
    /** The account that it created; null if there is none. */
    account: z.object({ id: z.string(), email: z.string() }).nullable(),
  })
  .meta({ id: "Invitation" })
export type Invitation = z.output<typeof Invitation>

export const CreatedInvitation = Invitation.extend({
  /** The secret part of the link `/invite#TOKEN`; it is returned only once. */
  token: z.string(),
}).meta({ id: "CreatedInvitation" })
export type CreatedInvitation = z.output<typeof CreatedInvitation>

const Token = z.string().min(1).max(100)

export const InvitationToken = z.object({ token: Token }).meta({ id: "InvitationToken" })

export const OpenedInvitation = z
  .object({
    state: InvitationState,
    /** The only address that may accept it; null for any, and if it is no longer open. */
    email: z.string().nullable(),
    expires_at: z.int(),
  })
  .meta({ id: "OpenedInvitation" })
export type OpenedInvitation = z.output<typeof OpenedInvitation>

export const AcceptInvitation = z
  .object({
    token: Token,
    name: DisplayName,
    /** Ignored if the invitation is for one address. */
    email: EmailAddress.optional(),
    password: Password,
  })
  .meta({ id: "AcceptInvitation" })
export type AcceptInvitation = z.output<typeof AcceptInvitation>

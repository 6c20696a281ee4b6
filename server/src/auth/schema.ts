import { z } from "zod"
import type { CredentialLimits } from "../http/caller.ts"
import { withMessage } from "../http/issue-messages.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { Settings } from "../settings/schema.ts"
import { DisplayName, EmailAddress, Password, Role, SingleLineText } from "../users/schema.ts"

export const SignUp = z
  .object({
    name: DisplayName,
    email: EmailAddress,
    password: Password,
    /** From the gateway's log; for the first account, if `setup_code_required` is true. */
    setup_code: z.string().max(100).optional(),
  })
  .meta({ id: "SignUp" })
export type SignUp = z.output<typeof SignUp>

export const SignIn = z
  .object({ email: z.string().max(254), password: z.string().max(1000) })
  .meta({ id: "SignIn" })
export type SignIn = z.output<typeof SignIn>

export const SignedIn = z
  .object({
    token: z.string(),
    token_type: z.literal("Bearer"),
    expires_at: z.int(),
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
  })
  .meta({ id: "SignedIn" })
export type SignedIn = z.output<typeof SignedIn>

export const WhoAmI = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    /** When the credential of this request expires. */
    expires_at: z.int().nullable(),
  })
  .meta({ id: "WhoAmI" })

/** The state of the web app's session. */
export const WebSession = z
  .object({
    /** The signed-in user; null without valid credentials. */
    user: WhoAmI.nullable(),
    /** The administrator's notice for everyone who is signed in; null if there is none. */
    banner: z.object({ text: z.string(), kind: Settings.shape.banner_kind }).nullable(),
    /**
     * The model of new chats for people who have not chosen one yet: the one that administrators
     * chose, or the first of a connection. Empty if there is none.
     */
    default_model: z.string(),
    /** Whether chats show what answers cost. */
    show_cost: z.boolean(),
  })
  .meta({ id: "WebSession" })
export type WebSession = z.output<typeof WebSession>

export const AddUser = z
  .object({
    name: DisplayName,
    email: EmailAddress,
    password: Password,
    role: Role.default("user"),
  })
  .meta({ id: "AddUser" })
export type AddUser = z.output<typeof AddUser>

export const ProfileChanges = z
  .object({ name: DisplayName })
  .partial()
  .meta({ id: "ProfileChanges" })
export type ProfileChanges = z.output<typeof ProfileChanges>

export const PasswordChange = z
  .object({ password: z.string().max(1000), new_password: Password })
  .meta({ id: "PasswordChange" })
export type PasswordChange = z.output<typeof PasswordChange>

export const Session = z
  .object({
    id: z.string(),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: z.int(),
    expires_at: z.int(),
    last_used_at: z.int().nullable(),
    /** Whether this request uses it. */
    current: z.boolean(),
  })
  .meta({ id: "Session" })
export type Session = z.output<typeof Session>

const AllowedRoute = z
  .string()
  .max(200)
  .regex(/^\/[^*\s]*\*?$/, withMessage(translatable("api_key_path_invalid")))

/** What a key is limited to. */
export const ApiKeyRestrictions = z.object({
  allowed_models: z.array(z.string()).nullable(),
  allowed_routes: z.array(z.string()).nullable(),
  expires_at: z.int().nullable(),
} satisfies Record<keyof CredentialLimits, z.ZodType>)
export type ApiKeyRestrictions = z.output<typeof ApiKeyRestrictions>

export const apiKeyRestrictionNames = ApiKeyRestrictions.keyof().options

/** What the body of a request limits a new key to. */
const newKeyLimits = {
  /** Epoch seconds. */
  expires_at: z.int().positive().nullable().default(null),
  allowed_models: z.array(z.string().max(300)).max(200).nullable().default(null),
  allowed_routes: z.array(AllowedRoute).max(50).nullable().default(null),
} satisfies Record<keyof CredentialLimits, z.ZodType>

export const NewApiKey = z
  .object({ name: SingleLineText.max(100).default("API key"), ...newKeyLimits })
  .meta({ id: "NewApiKey" })
export type NewApiKey = z.output<typeof NewApiKey>

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The secret's last four characters. */
    hint: z.string(),
    ...ApiKeyRestrictions.shape,
    last_used_at: z.int().nullable(),
    created_at: z.int(),
  })
  .meta({ id: "ApiKey" })
export type ApiKey = z.output<typeof ApiKey>

/** A key as administrators see it, with its owner. */
export const AdministeredKey = ApiKey.extend({
  owner: z.object({
    /** A service key belongs to a group. */
    type: z.enum(["user", "group"]),
    id: z.string(),
    name: z.string(),
    /** Null for a group. */
    email: z.string().nullable(),
  }),
}).meta({ id: "AdministeredApiKey" })
export type AdministeredKey = z.output<typeof AdministeredKey>

export const KeyListQuery = ListQuery.extend({
  query: ListQuery.shape.query.describe(
    "Part of the key's name, its last four characters, or part of its owner's name or email",
  ),
  id: z.string().max(200).optional(),
  order_by: z.enum(["created_at", "last_used_at", "expires_at"]).default("created_at"),
  owner_type: z.enum(["user", "group"]).optional().describe("`group`: service keys only"),
  unused_for_days: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(3650)
    .optional()
    .describe("Keys that are older than this and were not used since"),
  never_used: z
    .enum(["true", "false"])
    .optional()
    .transform((text) => text === "true"),
})
export type KeyListQuery = z.output<typeof KeyListQuery>

export const CreatedApiKey = ApiKey.extend({
  /** The secret, which is returned only once. */
  api_key: z.string(),
}).meta({ id: "CreatedApiKey" })
export type CreatedApiKey = z.output<typeof CreatedApiKey>

import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import { isObject } from "../formats/json-values.ts"
import type { Actor } from "../http/caller.ts"
import type {
  ProvisionedProfile,
  ProvisionedUser,
  ProvisionedUsers,
} from "../users/provisioned-users.ts"
import { EmailAddress, type UserEmail } from "../users/schema.ts"
import { orderOf } from "./audit-context.ts"
import { refuse } from "./errors.ts"
import type { Shape, Views } from "./mappers.ts"
import { applyOperation } from "./patch.ts"
import { readPatch } from "./patch-request.ts"
import type { Json } from "./projection.ts"
import { userType } from "./resource-types.ts"
import { type Complex, createIgnored, readResource, type Simple, type Values } from "./values.ts"

interface Deps {
  db: Database
  users: ProvisionedUsers
  views: Views
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

const compact = (parts: Record<string, Simple | null>): Complex =>
  Object.fromEntries(
    Object.entries(parts).filter((entry): entry is [string, Simple] => entry[1] !== null),
  )

/** The stored attributes of an account, as edited by PATCH. */
const valuesOf = (profile: ProvisionedProfile): Values =>
  new Map<string, Simple | Complex | Complex[] | null>([
    ["userName", profile.email],
    ["name", compact({ givenName: profile.given_name, familyName: profile.family_name })],
    ["displayName", profile.display_name],
    ["nickName", profile.nick_name],
    ["externalId", profile.external_id],
    ["active", profile.active],
    ["emails", profile.emails.map((email) => compact({ ...email }))],
  ])

/** Emails as sent; duplicates of the same value and type are dropped (RFC 7643 §2.4). */
const emailsOf = (value: unknown): UserEmail[] => {
  const emails: UserEmail[] = []
  for (const item of Array.isArray(value) ? value : []) {
    const email = isObject(item) ? text(item.value) : null
    if (email === null) continue
    const type = text(item.type)
    if (emails.some((other) => other.value === email && other.type === type)) continue
    emails.push({ value: email, type, display: text(item.display), primary: item.primary === true })
  }
  if (emails.filter(({ primary }) => primary).length > 1) {
    refuse("invalidValue", "At most one of the emails can be primary.")
  }
  return emails
}

/** An email without a value cannot be stored, unless the type existed before. */
const requireEmailValues = (values: Values, before: readonly UserEmail[]): void => {
  const emails = values.get("emails")
  for (const email of Array.isArray(emails) ? emails : []) {
    if (email.value !== undefined || before.some(({ type }) => type === (email.type ?? null)))
      continue
    refuse("invalidValue", "Each entry of emails requires a value.")
  }
}

const userNameOf = (value: unknown): string => {
  if (typeof value !== "string") return refuse("invalidValue", "userName is required.")
  if (EmailAddress.safeParse(value).success) return value
  return refuse("invalidValue", "userName must be an e-mail address such as ada@example.com.")
}

/** @throws {Failure} `invalidValue` */
const profileOf = (values: Values, before?: ProvisionedProfile): ProvisionedProfile => {
  const name = values.get("name")
  const names = isObject(name) ? name : {}
  const active = values.get("active")
  return {
    email: userNameOf(values.get("userName")),
    given_name: text(names.givenName),
    family_name: text(names.familyName),
    display_name: text(values.get("displayName")),
    nick_name: text(values.get("nickName")),
    external_id: text(values.get("externalId")),
    active: typeof active === "boolean" ? active : (before?.active ?? true),
    emails: emailsOf(values.get("emails")),
  }
}

/** SCIM users: accounts, subject to the same rules as elsewhere. */
export const createScimUsers = ({ db, users, views }: Deps) => {
  const write = (work: (tx: Tx) => Promise<ProvisionedUser>, shape: Shape): Promise<Json> =>
    db.transact(async (tx) => {
      const { user } = await work(tx)
      return (await views.users.one(user.id, shape, tx)) ?? {}
    })

  return {
    get: async (id: string, shape: Shape): Promise<Json> =>
      (await views.users.one(id, shape)) ?? fail("not_found", `User ${id} not found.`),

    create: (actor: Actor, body: unknown, shape: Shape): Promise<Json> => {
      const ignored = createIgnored()
      const profile = profileOf(readResource(userType, body, ignored))
      const order = orderOf(actor, { action: "scim.user.created", status: 201 }, ignored)
      return write((tx) => users.create(tx, order, profile), shape)
    },

    /** Absent attributes are cleared, except `active`. */
    replace: (actor: Actor, id: string, body: unknown, shape: Shape): Promise<Json> => {
      const ignored = createIgnored()
      const values = readResource(userType, body, ignored)
      const order = orderOf(actor, { action: "scim.user.replaced", status: 200 }, ignored)
      const edit = (before: ProvisionedProfile) => profileOf(values, before)
      return write((tx) => users.change(tx, order, id, edit), shape)
    },

    patch: (actor: Actor, id: string, body: unknown, shape: Shape): Promise<Json> => {
      const ignored = createIgnored()
      const operations = readPatch(userType, body, ignored)
      const edit = (before: ProvisionedProfile): ProvisionedProfile => {
        const values = valuesOf(before)
        for (const operation of operations) applyOperation(values, operation, ignored)
        requireEmailValues(values, before.emails)
        return profileOf(values, before)
      }
      const order = orderOf(actor, { action: "scim.user.patched", status: 200 }, ignored)
      return write((tx) => users.change(tx, order, id, edit), shape)
    },

    end: (actor: Actor, id: string): Promise<void> => {
      const order = orderOf(actor, { action: "scim.user.deleted", status: 204 }, createIgnored())
      return db.transact((tx) => users.deleteUser(tx, order, id))
    },
  }
}

export type ScimUsers = ReturnType<typeof createScimUsers>

import {
  type AttributeValues,
  applyPatchOperation,
  type ComplexValue,
  failScim,
  IgnoredAttributes,
  type PatchOperation,
  parsePatch,
  parseResource,
  type SimpleValue,
} from "@portico/scim"
import type { Database, Tx } from "../db/database.ts"
import { isObject } from "../formats/json-values.ts"
import type { ProvisionedProfile, ProvisionedUsers } from "../users/provisioned-users.ts"
import { EmailAddress, type UserEmail } from "../users/schema.ts"
import { userLock } from "../users/user-lock.ts"
import type { UserWithEmails } from "../users/user-writer.ts"
import { createResourceWriter, type ResourceOperations, type ResourceView } from "./resource.ts"
import { userType } from "./resource-types.ts"

interface Deps {
  db: Database
  users: ProvisionedUsers
  view: ResourceView
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

const omitNull = (parts: Record<string, SimpleValue | null>): ComplexValue =>
  Object.fromEntries(
    Object.entries(parts).filter((entry): entry is [string, SimpleValue] => entry[1] !== null),
  )

/** The stored attributes of an account, as edited by PATCH. */
const valuesOf = ({ user, emails }: UserWithEmails): AttributeValues =>
  new Map<string, SimpleValue | ComplexValue | ComplexValue[] | null>([
    ["userName", user.email],
    ["name", omitNull({ givenName: user.given_name, familyName: user.family_name })],
    ["displayName", user.display_name],
    ["nickName", user.nick_name],
    ["externalId", user.external_id],
    ["active", user.active],
    ["emails", emails.map((email) => omitNull({ ...email }))],
  ])

/** Emails as sent; duplicates of the same value and type are dropped (RFC 7643 §2.4). */
const emailsOf = (value: unknown): UserEmail[] => {
  const emails: UserEmail[] = []
  for (const item of Array.isArray(value) ? value : []) {
    const email = isObject(item) ? textOrNull(item.value) : null
    if (email === null) continue
    const type = textOrNull(item.type)
    if (emails.some((other) => other.value === email && other.type === type)) continue
    emails.push({
      value: email,
      type,
      display: textOrNull(item.display),
      primary: item.primary === true,
    })
  }
  if (emails.filter(({ primary }) => primary).length > 1) {
    failScim("invalidValue", "At most one of the emails can be primary.")
  }
  return emails
}

/** An email without a value cannot be stored, unless the type existed before. */
const requireEmailValues = (values: AttributeValues, before: readonly UserEmail[]): void => {
  const emails = values.get("emails")
  for (const email of Array.isArray(emails) ? emails : []) {
    if (email.value !== undefined || before.some(({ type }) => type === (email.type ?? null)))
      continue
    failScim("invalidValue", "Each entry of emails requires a value.")
  }
}

const userNameOf = (value: unknown): string => {
  if (typeof value !== "string") return failScim("invalidValue", "userName is required.")
  if (EmailAddress.safeParse(value).success) return value
  return failScim("invalidValue", "userName must be an e-mail address such as ada@example.com.")
}

/** @throws {ScimError} `invalidValue` */
const profileOf = (values: AttributeValues, before?: UserWithEmails): ProvisionedProfile => {
  const name = values.get("name")
  const names = isObject(name) ? name : {}
  const active = values.get("active")
  return {
    email: userNameOf(values.get("userName")),
    given_name: textOrNull(names.givenName),
    family_name: textOrNull(names.familyName),
    display_name: textOrNull(values.get("displayName")),
    nick_name: textOrNull(values.get("nickName")),
    external_id: textOrNull(values.get("externalId")),
    active: typeof active === "boolean" ? active : (before?.user.active ?? true),
    emails: emailsOf(values.get("emails")),
  }
}

/** Whether the account is inactive after the operations, whatever it was before. */
const deactivates = (operations: readonly PatchOperation[]): boolean => {
  const values: AttributeValues = new Map()
  for (const operation of operations) {
    if (operation.target.attribute.name !== "active") continue
    applyPatchOperation(values, operation, new IgnoredAttributes())
  }
  return values.get("active") === false
}

/** SCIM users: accounts, subject to the same rules as elsewhere. */
export const createScimUsers = ({ db, users, view }: Deps): ResourceOperations => {
  const write = createResourceWriter(db, view)

  return {
    create: (actor, body, shape) => {
      const ignored = new IgnoredAttributes()
      const profile = profileOf(parseResource(userType, body, ignored))
      const record = { actor, action: "scim.user.created", status: 201, ignored: ignored.names() }
      return write((tx) => users.create(tx, record, profile), { shape })
    },

    /** Absent attributes are cleared, except `active`. */
    replace: (actor, id, body, shape) => {
      const ignored = new IgnoredAttributes()
      const values = parseResource(userType, body, ignored)
      const record = { actor, action: "scim.user.replaced", status: 200, ignored: ignored.names() }
      const replaceUser = async (tx: Tx) => {
        const before = await users.lock(tx, id)
        return users.change(tx, record, { before, profile: profileOf(values, before) })
      }
      const takesAccess = values.get("active") === false
      return write(replaceUser, { shape, locks: [userLock(id)], takesAccess })
    },

    patch: (actor, id, body, shape) => {
      const ignored = new IgnoredAttributes()
      const operations = parsePatch(userType, body, ignored)
      const patchUser = async (tx: Tx) => {
        const before = await users.lock(tx, id)
        const values = valuesOf(before)
        for (const operation of operations) applyPatchOperation(values, operation, ignored)
        requireEmailValues(values, before.emails)
        const record = { actor, action: "scim.user.patched", status: 200, ignored: ignored.names() }
        return users.change(tx, record, { before, profile: profileOf(values, before) })
      }
      const takesAccess = deactivates(operations)
      return write(patchUser, { shape, locks: [userLock(id)], takesAccess })
    },

    remove: (actor, id) => {
      const record = { actor, action: "scim.user.deleted", status: 204 }
      return db.essential.transactLocked([userLock(id)], (tx) => users.deleteUser(tx, record, id))
    },
  }
}

import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { MessageOrText } from "../i18n/message.ts"
import { type AccessGrant, everyonePrincipalId } from "./schema.ts"

/** The user whose access is checked: a caller, or an owner who made no request. */
export type Principal = Pick<Caller, "groups"> & { user: Pick<Caller["user"], "id" | "role"> }

export type Permission = AccessGrant["permission"]

export interface OwnedObject {
  user_id: string
}

/** An object that its owner shares through grants. */
export interface SharedObject extends OwnedObject {
  access_grants: readonly AccessGrant[]
}

/** An object whose creator gets no more access than others: a connection or a function. */
export interface UsableObject {
  /** Null if everyone may use it. */
  access_grants: readonly AccessGrant[] | null
}

export const isAdmin = ({ user }: Principal): boolean => user.role === "admin"

/** The ids of everyone whose grants a principal benefits from, by type of grant. */
export const principalIdsOf = ({ user, groups }: Principal) => ({
  user: [everyonePrincipalId, user.id],
  group: [everyonePrincipalId, ...groups],
})

/** The same for one grant, without creating lists: a request may check thousands of grants. */
const appliesTo = ({ principal_type, principal_id }: AccessGrant, { user, groups }: Principal) =>
  principal_id === everyonePrincipalId ||
  (principal_type === "user" ? principal_id === user.id : groups.has(principal_id))

/** Write includes read, and administrators have both. */
const isGranted = (
  grants: readonly AccessGrant[],
  principal: Principal,
  permission: Permission,
): boolean =>
  isAdmin(principal) ||
  grants.some(
    (grant) =>
      (permission === "read" || grant.permission === "write") && appliesTo(grant, principal),
  )

export const isUnrestricted = ({ access_grants }: UsableObject): boolean => access_grants === null

export const mayUse = ({ access_grants }: UsableObject, principal: Principal): boolean =>
  access_grants === null || isGranted(access_grants, principal, "read")

export const mayRead = ({ user_id, access_grants }: SharedObject, principal: Principal): boolean =>
  user_id === principal.user.id || isGranted(access_grants, principal, "read")

export const mayWrite = ({ user_id, access_grants }: SharedObject, principal: Principal): boolean =>
  user_id === principal.user.id || isGranted(access_grants, principal, "write")

/**
 * Whether a principal may share, delete and hand over an object that others may write. Grants do
 * not allow this: otherwise a writer whose grant is revoked could have granted access to another
 * account.
 */
export const mayManage = ({ user_id }: OwnedObject, principal: Principal): boolean =>
  user_id === principal.user.id || isAdmin(principal)

/** What errors say about an object to which the caller has no access. */
export interface AccessMessages {
  notFound: MessageOrText
  notWritable: MessageOrText
}

/** @throws {Failure} `not_found`, also if the principal may not read it */
export const requireReadable = <T extends SharedObject>(
  object: T | undefined,
  principal: Principal,
  { notFound }: Pick<AccessMessages, "notFound">,
): T => (object && mayRead(object, principal) ? object : fail("not_found", notFound))

/** @throws {Failure} `not_found` if the principal may not read it, `forbidden` if not write it */
export const requireWritable = <T extends SharedObject>(
  object: T | undefined,
  principal: Principal,
  messages: AccessMessages,
): T => {
  const readable = requireReadable(object, principal, messages)
  return mayWrite(readable, principal) ? readable : fail("forbidden", messages.notWritable)
}

/**
 * Administrators pass as well; see `mayManage`. The principal must be known to read the object.
 * @throws {Failure} `forbidden`
 */
export const requireOwner = (
  object: OwnedObject,
  principal: Principal,
  refusal: MessageOrText,
): void => {
  if (!mayManage(object, principal)) fail("forbidden", refusal)
}

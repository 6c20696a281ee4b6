import { fail } from "../errors.ts"
import type { OwnedObject, Principal } from "./access.ts"

/**
 * Chats, projects and unfinished uploads are private: grants do not share them, and administrators
 * have no more access than others.
 */
export const isOwn = ({ user_id }: OwnedObject, { user }: Pick<Principal, "user">): boolean =>
  user_id === user.id

/** @throws {Failure} `not_found`, also if it is someone else's */
export const requireOwn = <T extends OwnedObject>(
  object: T | undefined,
  principal: Principal,
  notFound: string,
): T => (object && isOwn(object, principal) ? object : fail("not_found", notFound))

/** @throws {Failure} `not_found`, also if it is someone else's and not shared with everyone */
export const requireOwnOrShared = <T extends OwnedObject & { shared: boolean }>(
  object: T | undefined,
  principal: Principal,
  notFound: string,
): T => (object?.shared ? object : requireOwn(object, principal, notFound))

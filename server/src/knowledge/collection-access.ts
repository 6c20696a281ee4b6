import { fail } from "../errors.ts"
import { hasPermission, type Principal } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import type { Collection } from "./schema.ts"

export const failCollectionNotFound = (): never => fail("not_found", "Collection not found.")

export const canAccess = (
  { user_id, access_grants }: Pick<Collection, "user_id" | "access_grants">,
  principal: Principal,
  permission: AccessGrant["permission"],
): boolean => user_id === principal.user.id || hasPermission(access_grants, principal, permission)

/**
 * @throws {Failure} `not_found` if the principal cannot read it, `forbidden` if it cannot change it
 */
export const requireWritable = (
  collection: Collection | undefined,
  principal: Principal,
): Collection => {
  if (!collection || !canAccess(collection, principal, "read")) return failCollectionNotFound()
  if (canAccess(collection, principal, "write")) return collection
  return fail("forbidden", "You can read this collection, but not change it.")
}

/**
 * Writers can change the contents of a collection. Sharing and deleting it is up to its owner:
 * otherwise a writer whose grant is revoked could have granted access to another account.
 * @throws {Failure} `forbidden`
 */
export const requireOwnership = (
  { user_id }: Pick<Collection, "user_id">,
  { user }: Principal,
  refusal: string,
): void => {
  if (user_id !== user.id && user.role !== "admin") fail("forbidden", refusal)
}

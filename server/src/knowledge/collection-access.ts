import { fail } from "../errors.ts"
import { type Principal, permits } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import type { Collection } from "./schema.ts"

export const unknownCollection = (): never => fail("not_found", "There is no such collection")

export const mayAccess = (
  { user_id, access_grants }: Pick<Collection, "user_id" | "access_grants">,
  who: Principal,
  permission: AccessGrant["permission"],
): boolean => user_id === who.user.id || permits(access_grants, who, permission)

/** @throws {Failure} `not_found` to who may not even read it, and `forbidden` */
export const requireWritable = (collection: Collection | undefined, who: Principal): Collection => {
  if (!collection || !mayAccess(collection, who, "read")) return unknownCollection()
  if (mayAccess(collection, who, "write")) return collection
  return fail("forbidden", "You may read this collection, but not change it")
}

/**
 * Writers change what a collection holds. Who else may read or change it, and whether it exists,
 * is its owner's decision: a writer whose grant is revoked must not come back by another one.
 * @throws {Failure} `forbidden`
 */
export const requireOwnership = (
  { user_id }: Pick<Collection, "user_id">,
  { user }: Principal,
  refusal: string,
): void => {
  if (user_id !== user.id && user.role !== "admin") fail("forbidden", refusal)
}

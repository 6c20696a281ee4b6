import { fail } from "../errors.ts"
import type { StoredUser } from "./user-rows.ts"

/**
 * An account that DELETE ended is revived under the externalId it had, and no other: identity
 * providers match by address, and a recycled address is another person's.
 */
export const fixExternalId = (user: StoredUser): StoredUser => ({
  ...user,
  external_id_fixed: true,
  fixed_external_id: user.fixed_external_id ?? user.external_id,
})

const isAllowed = (user: StoredUser, externalId: string | null): boolean =>
  !user.external_id_fixed ||
  externalId === null ||
  user.fixed_external_id === null ||
  externalId === user.fixed_external_id

/**
 * `user` with another externalId, which is fixed with it where the account had none.
 * @throws {Failure} `conflict`
 */
export const withExternalId = (user: StoredUser, externalId: string | null): StoredUser => {
  if (!isAllowed(user, externalId)) {
    fail(
      "conflict",
      `The userName ${user.email} belongs to an account that was deleted and had another externalId. For the same person, send that externalId; for another person, an administrator releases the address in Portico (Users, the account, "Release address"), then create the user again`,
      { scimType: "uniqueness" },
    )
  }
  const external_id = externalId
  if (!user.external_id_fixed) return { ...user, external_id }
  return { ...user, external_id, fixed_external_id: user.fixed_external_id ?? externalId }
}

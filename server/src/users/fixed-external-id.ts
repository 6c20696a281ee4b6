import { fail } from "../errors.ts"
import type { StoredUser } from "./user-rows.ts"

/**
 * An account deleted through SCIM can only be revived with its previous externalId: identity
 * providers match by address, and a recycled address belongs to another person.
 */
export const fixExternalId = (user: StoredUser): StoredUser => ({
  ...user,
  external_id_fixed: true,
  fixed_external_id: user.fixed_external_id ?? user.external_id,
})

const isExternalIdAllowed = (user: StoredUser, externalId: string | null): boolean =>
  !user.external_id_fixed ||
  externalId === null ||
  user.fixed_external_id === null ||
  externalId === user.fixed_external_id

/**
 * Sets the externalId. If it is fixed but the account has none yet, this one becomes the fixed one.
 * @throws {Failure} `conflict`
 */
export const withExternalId = (user: StoredUser, externalId: string | null): StoredUser => {
  if (!isExternalIdAllowed(user, externalId)) {
    fail(
      "conflict",
      `The userName ${user.email} belongs to a deleted account with another externalId. For the same person, send the previous externalId. For another person, have an administrator release the address in Portico (Users, the account, "Release address"), then create the user again.`,
      { scimType: "uniqueness" },
    )
  }
  const external_id = externalId
  if (!user.external_id_fixed) return { ...user, external_id }
  return { ...user, external_id, fixed_external_id: user.fixed_external_id ?? externalId }
}

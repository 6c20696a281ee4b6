import { areSameGrants } from "./grants.ts"
import type { AccessGrant } from "./schema.ts"

interface WithGrants {
  /** Null if access is not restricted. */
  access_grants: readonly AccessGrant[] | null
}

const hasSameGrants = (
  { access_grants: one }: WithGrants,
  { access_grants: other }: WithGrants,
): boolean => (one && other ? areSameGrants(one, other) : one === other)

const withoutGrants = <Fields extends WithGrants>({ access_grants, ...others }: Fields) => others

/** What an event records of a change. Includes grants only if they changed: there may be a thousand. */
export const omitUnchangedGrants = <Fields extends WithGrants>(before: Fields, after: Fields) =>
  hasSameGrants(before, after)
    ? { before: withoutGrants(before), after: withoutGrants(after) }
    : { before, after }

interface SentFields {
  access_grants?: AccessGrant[] | undefined
}

/** Omits grants equal to the current ones: forms send everything they show. */
export const omitResentGrants = <Fields extends SentFields>(
  before: WithGrants,
  sent: Fields,
): Omit<Fields, "access_grants"> & SentFields => {
  const { access_grants, ...others } = sent
  return access_grants && !hasSameGrants(before, { access_grants }) ? sent : others
}

import { areSameGrants } from "./grants.ts"
import type { AccessGrant } from "./schema.ts"

interface AuditedFields {
  /** Null if access is not restricted. */
  access_grants: readonly AccessGrant[] | null
}

const hasSameGrants = (
  { access_grants: one }: AuditedFields,
  { access_grants: other }: AuditedFields,
): boolean => (one && other ? areSameGrants(one, other) : one === other)

const withoutGrants = <Fields extends AuditedFields>({ access_grants, ...others }: Fields) => others

/** What an event records of a change. Includes grants only if they changed: there may be a thousand. */
export const omitUnchangedGrants = <Fields extends AuditedFields>(before: Fields, after: Fields) =>
  hasSameGrants(before, after)
    ? { before: withoutGrants(before), after: withoutGrants(after) }
    : { before, after }

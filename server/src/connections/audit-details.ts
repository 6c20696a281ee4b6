import { areSameGrants } from "../grants/grants.ts"
import type { ConnectionConfig } from "./schema.ts"

/** The audited fields of a connection: whether it is used, and by whom. */
export const auditState = ({ enabled, access_grants }: ConnectionConfig) => ({
  enabled,
  access_grants,
})

const hasSameAccess = (
  { access_grants: one }: ConnectionConfig,
  { access_grants: other }: ConnectionConfig,
): boolean => (one && other ? areSameGrants(one, other) : one === other)

/** A connection before and after a change; grants only if they changed, as for models. */
export const auditChange = (before: ConnectionConfig, after: ConnectionConfig) =>
  hasSameAccess(before, after)
    ? { before: { enabled: before.enabled }, after: { enabled: after.enabled } }
    : { before: auditState(before), after: auditState(after) }

import { omitUnchangedGrants } from "../grants/audit-details.ts"
import type { StoredFunction } from "./store.ts"

/** The target of an audit event about a function. */
export const auditTarget = (id: string) => ({ type: "function", id })

/** The audited fields: who may use a function, which hosts it may reach, and its version. */
export const auditState = (stored: StoredFunction) => ({
  access_grants: stored.access_grants,
  is_active: stored.is_active,
  hosts: stored.hosts,
  filter_models: stored.filter_models,
  version: stored.version,
})

export const auditChange = (before: StoredFunction, after: StoredFunction) =>
  omitUnchangedGrants(auditState(before), auditState(after))

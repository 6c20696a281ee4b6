import type { StoredFunction } from "./store.ts"

/** The target of an audit event about a function. */
export const auditTarget = (id: string) => ({ type: "function", id })

/** The audited fields that control who may use a function and which hosts it may reach. */
export const accessFields = (stored: StoredFunction) => ({
  access_grants: stored.access_grants,
  is_active: stored.is_active,
  hosts: stored.hosts,
  filter_models: stored.filter_models,
})

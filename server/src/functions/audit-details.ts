import type { StoredFunction } from "./store.ts"

/** The target of an audit event about a function. */
export const auditTarget = (id: string) => ({ type: "function", id })

/** The audited fields: who may use a function, which hosts it may reach, and its version. */
export const auditState = (stored: StoredFunction) => {
  const { access_grants, is_active, hosts, filter_models, version } = stored
  return { access_grants, is_active, hosts, filter_models, version }
}

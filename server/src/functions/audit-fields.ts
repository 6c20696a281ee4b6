import { areSameGrants } from "../grants/grants.ts"
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

/** The audited fields before and after a change; grants only if they changed, as for models. */
export const changedAccessFields = (before: StoredFunction, after: StoredFunction) => {
  const sameGrants = areSameGrants(before.access_grants, after.access_grants)
  const fieldsOf = (stored: StoredFunction) => {
    const { access_grants, ...fields } = accessFields(stored)
    return { ...fields, ...(!sameGrants && { access_grants }), version: stored.version }
  }
  return { before: fieldsOf(before), after: fieldsOf(after) }
}

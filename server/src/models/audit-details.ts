import { areSameGrants } from "../grants/grants.ts"
import type { ModelSummary } from "./schema.ts"

export const auditTarget = (id: string) => ({ type: "model", id })

const auditState = ({ base_model_id, is_active }: ModelSummary) => ({ base_model_id, is_active })

export const auditAccess = (model: ModelSummary) => ({
  ...auditState(model),
  access_grants: model.access_grants,
})

/** A model before and after a change. Includes grants only if they changed: there may be a thousand. */
export const auditChange = (before: ModelSummary, after: ModelSummary) => {
  const sameGrants = areSameGrants(before.access_grants, after.access_grants)
  const describe = sameGrants ? auditState : auditAccess
  return { before: describe(before), after: describe(after) }
}

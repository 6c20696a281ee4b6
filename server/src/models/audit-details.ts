import type { ModelSummary } from "./schema.ts"

export const auditTarget = (id: string) => ({ type: "model", id })

export const auditState = ({ base_model_id, is_active, access_grants }: ModelSummary) => ({
  base_model_id,
  is_active,
  access_grants,
})

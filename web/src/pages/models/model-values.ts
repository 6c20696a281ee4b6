import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import type { QueryRewritingMode } from "../../../../server/src/models/query-rewriting-mode.ts"
import type { WorkspaceModel } from "../../../../server/src/models/schema.ts"
import { deriveId } from "../../lib/derive-id.ts"

export interface ModelValues {
  base_model_id: string
  name: string
  id: string
  description: string
  system: string
  tags: string[]
  /** One for each field of the form; some may be empty. */
  starters: string[]
  /** Collection IDs. */
  knowledge: string[]
  access_grants: AccessGrant[]
  claude_alias: boolean
  query_rewriting: QueryRewritingMode
  /** Includes parameters without a control in the form; these are kept unchanged. */
  params: Record<string, unknown>
}

export const emptyModel = (base: string): ModelValues => ({
  base_model_id: base,
  name: "",
  id: "",
  description: "",
  system: "",
  tags: [],
  starters: [],
  knowledge: [],
  access_grants: [],
  claude_alias: false,
  query_rewriting: "automatic",
  params: {},
})

const idOf = (one: unknown): unknown =>
  typeof one === "object" && one !== null && "id" in one ? one.id : one

/** The API accepts IDs and objects with an ID. */
const knowledgeOf = (knowledge: unknown): string[] =>
  (Array.isArray(knowledge) ? knowledge : [])
    .map(idOf)
    .filter((id): id is string => typeof id === "string")

export const toModelValues = (model: WorkspaceModel): ModelValues => {
  const { system = "", ...params } = model.params
  return {
    base_model_id: model.base_model_id,
    name: model.name,
    id: model.id,
    description: model.meta.description,
    system,
    tags: model.meta.tags,
    starters: model.meta.starters,
    knowledge: knowledgeOf(model.meta.knowledge),
    access_grants: model.access_grants,
    claude_alias: model.meta.claude_alias,
    query_rewriting: model.meta.query_rewriting ?? "automatic",
    params,
  }
}

/** Omits empty parameters, which use the model's defaults. */
export const omitEmptyParams = (params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).filter(
      ([, value]) =>
        value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** The request body; metadata unknown to the form is kept from `previous`. */
export const toRequestBody = (values: ModelValues, previous?: WorkspaceModel) => {
  const { base_model_id, name, id, description, system, tags, access_grants } = values
  const { claude_alias, query_rewriting } = values
  const knowledge = values.knowledge.map((one) => ({ type: "collection", id: one }))
  const starters = values.starters.map((text) => text.trim()).filter(Boolean)
  return {
    id: id || deriveId(name),
    name,
    base_model_id,
    meta: {
      ...{ ...previous?.meta, description, tags, starters, knowledge, claude_alias },
      query_rewriting,
    },
    params: { ...omitEmptyParams(values.params), ...(system && { system }) },
    access_grants,
  }
}

import type {
  AvailableModel,
  EmbeddingStatus,
  noEmbeddingModel,
} from "../../../server/src/knowledge/embedding-schema.ts"

/** The setting `embedding_model` that turns semantic search off. */
export const semanticSearchOff: typeof noEmbeddingModel = "none"

const builtInModelId = "built-in/all-minilm-l6-v2"

export const isBuiltInModel = (id: string): boolean => id === builtInModelId

/** Whether the index in use is incomplete, or will be replaced by that of the chosen model. */
export const isIndexChanging = ({ model, admin }: EmbeddingStatus): boolean => {
  if (!admin) return false
  const { building, choice } = admin
  if (building) return true
  const isModel = choice.model !== null && choice.model !== semanticSearchOff
  return isModel && choice.problem === null && choice.model !== model?.id
}

/** What a model that was pulled by `name` is listed as; its connection may put a prefix before it. */
export const findPulledModel = (
  models: readonly AvailableModel[],
  name: string,
): AvailableModel | undefined => {
  const tagged = name.includes(":") ? name : `${name}:latest`
  return models.find(({ id }) => id === tagged || id.endsWith(`.${tagged}`))
}

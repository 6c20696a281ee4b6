import type {
  AvailableModel,
  EmbeddingStatus,
  noEmbeddingModel,
} from "../../../server/src/knowledge/embedding/schema.ts"

/** The value of the setting `embedding_model` that turns semantic search off. */
export const semanticSearchOff: typeof noEmbeddingModel = "none"

const builtInModelId = "built-in/all-minilm-l6-v2"

export const isBuiltInModel = (id: string): boolean => id === builtInModelId

/** Whether the current index is incomplete or about to be replaced by the chosen model's index. */
export const isIndexChanging = ({ model, admin }: EmbeddingStatus): boolean => {
  if (!admin) return false
  const { building, choice } = admin
  if (building) return true
  const isModel = choice.model !== null && choice.model !== semanticSearchOff
  return isModel && choice.problem === null && choice.model !== model?.id
}

/** Finds a model pulled as `name` among the listed models; its connection may add a prefix. */
export const findPulledModel = (
  models: readonly AvailableModel[],
  name: string,
): AvailableModel | undefined => {
  const tagged = name.includes(":") ? name : `${name}:latest`
  return models.find(({ id }) => id === tagged || id.endsWith(`.${tagged}`))
}

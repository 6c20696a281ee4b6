import type {
  AvailableModel,
  EmbeddingStatus,
  noEmbeddingModel,
} from "../../../server/src/knowledge/embedding/schema.ts"

/** The value of the setting `embedding_model` that turns semantic search off. */
export const semanticSearchOff: typeof noEmbeddingModel = "none"

/** The model that is part of the gateway; it works best in English. */
const shippedModelId = "built-in/all-minilm-l6-v2"

export const isShippedModel = (id: string): boolean => id === shippedModelId

/** Whether the gateway runs the model itself. */
export const isBuiltInModel = (id: string): boolean => id.startsWith("built-in/")

/** Whether a model is being installed, or its files are being verified. */
export const isInstalling = ({ admin }: EmbeddingStatus): boolean =>
  admin?.installable.some(({ state }) => state === "installing" || state === "verifying") ?? false

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

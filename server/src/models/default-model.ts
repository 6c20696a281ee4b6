import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import { failInvalid } from "../errors.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { maxChainLength } from "./base-model-chain.ts"
import type { ModelCatalogue } from "./catalogue.ts"

interface Deps {
  settings: SettingsStore
  catalogue: Pick<ModelCatalogue, "effectiveModel">
  registry: Pick<ConnectionRegistry, "endpoints">
}

/** Rejects a default model of new chats that is disabled or only creates embeddings. */
export const checkDefaultModel = ({ settings, catalogue, registry }: Deps): void => {
  const baseOf = (id: string, length = 0): string => {
    const base = catalogue.effectiveModel(id)?.base_model_id
    const isLast = base === undefined || base === id || length === maxChainLength
    return isLast ? id : baseOf(base, length + 1)
  }
  const isEmbeddingModel = (id: string): boolean => {
    const base = baseOf(id)
    const all = registry.endpoints()
    const endpoints = all.get(base) ?? all.get(`${base}:latest`) ?? []
    return endpoints.some(({ model }) => model.capabilities.embedding === true)
  }

  settings.addCheck(async (_actor, { default_model: id }) => {
    if (!id || id === settings.current().default_model) return
    if (catalogue.effectiveModel(id)?.is_active === false) {
      failInvalid("default_model", "This model is disabled. Enable it, or choose another one.")
    }
    if (isEmbeddingModel(id)) {
      failInvalid("default_model", "Embedding models can't answer chats. Choose another one.")
    }
  })
}

import type { Config } from "../config/config.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { FunctionRegistry } from "../functions/function-registry.ts"
import type { Grants } from "../grants/grants.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { createModelCatalogue } from "./catalogue.ts"
import { checkDefaultModel } from "./default-model.ts"
import { createModels } from "./models.ts"
import { createModelStore } from "./store.ts"

interface Deps
  extends Omit<Parameters<typeof createModels>[0], "maxModels" | "store" | "catalogue"> {
  config: Config
  grants: Grants
  registry: ConnectionRegistry
  directory: FunctionRegistry
  settings: SettingsStore
}

/** Creates the catalogue of all models and the service for workspace models. */
export const createModelParts = async (deps: Deps) => {
  const store = createModelStore(deps)
  const catalogue = await createModelCatalogue({ ...deps, store })
  checkDefaultModel({ ...deps, catalogue })
  const models = createModels({ ...deps, maxModels: deps.config.MAX_MODELS, store, catalogue })
  return { catalogue, models }
}

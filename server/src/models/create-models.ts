import type { Config } from "../config/config.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { FunctionRegistry } from "../functions/function-registry.ts"
import type { Grants } from "../grants/grants.ts"
import type { Transfers } from "../ownership/transfer.ts"
import type { EndpointPrices } from "../prices/endpoint-prices.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { createModelCatalogue } from "./catalogue.ts"
import { checkDefaultModel, createDefaultModel } from "./default-model.ts"
import { createModelDependents } from "./model-dependents.ts"
import { createModelStore } from "./store.ts"
import { createModelTransfer } from "./transfer.ts"
import { createWorkspaceModels } from "./workspace-models.ts"

interface Deps
  extends Omit<
    Parameters<typeof createWorkspaceModels>[0],
    "maxModels" | "store" | "catalogue" | "dependentsOf" | "isDefaultModel"
  > {
  config: Config
  grants: Grants
  transfers: Transfers
  registry: ConnectionRegistry
  functionRegistry: FunctionRegistry
  endpointPrices: EndpointPrices
  settings: SettingsStore
}

/** Creates the catalogue of all models and the service for workspace models. */
export const createModelParts = async (deps: Deps) => {
  const store = createModelStore(deps)
  const catalogue = await createModelCatalogue({ ...deps, store })
  checkDefaultModel({ ...deps, catalogue })
  const defaultModel = createDefaultModel({ ...deps, catalogue })
  const modelDependents = createModelDependents(deps)
  const shared = { ...deps, maxModels: deps.config.MAX_MODELS, store, catalogue }
  const models = createWorkspaceModels({
    ...shared,
    dependentsOf: modelDependents.onModel,
    isDefaultModel: defaultModel.isChosen,
  })
  const modelTransfer = createModelTransfer(shared)
  return { catalogue, models, modelDependents, modelTransfer, defaultModel }
}

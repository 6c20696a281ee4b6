import { join } from "node:path"
import type { Logger } from "pino"
import { type MessageOrText, translatable } from "../../../i18n/message.ts"
import type { DownloadFile } from "../../../outbound/download-file.ts"
import type { EmbeddingInputType } from "../embedding-input-type.ts"
import { type BuiltInModelTimes, createBuiltInModel } from "./built-in-model.ts"
import {
  allMiniLM,
  type InstallableModel,
  modelNameOf,
  multilingualE5Small,
  shippedModelFolder,
} from "./model-descriptions.ts"
import { createModelInstallation, type ModelInstallation } from "./model-installation.ts"

const defaultRetryMs = 1000

export interface BuiltInModelOptions extends BuiltInModelTimes {
  /** Folder of the shipped model; null disables it. */
  builtInModelFolder?: string | null
  installableModels?: readonly InstallableModel[]
  modelDownloadRetryMs?: number
}

interface Deps extends BuiltInModelOptions {
  dataDir: string
  /** URL of the hub that installable models are downloaded from. */
  hub: string
  downloadFile: DownloadFile
  log: Pick<Logger, "warn">
}

/** The models that the gateway runs itself: the shipped one, and those that can be installed. */
export const createBuiltInModels = (deps: Deps) => {
  const listeners = new Set<() => void>()
  const onChange = (): void => {
    for (const listener of listeners) listener()
  }
  const { builtInModelFolder: shippedFolder = shippedModelFolder } = deps
  const shipped = createBuiltInModel({
    ...deps,
    model: allMiniLM,
    folder: shippedFolder ?? "",
    missing:
      shippedFolder === null ? "The built-in embedding model is unavailable: it is disabled" : null,
    onChange,
  })

  const createInstallable = (description: InstallableModel) => {
    const folder = join(deps.dataDir, "models", modelNameOf(description))
    const notInstalled = translatable("model_not_installed", {
      name: modelNameOf(description),
      folder,
    })
    const model = createBuiltInModel({
      ...deps,
      model: description,
      folder,
      missing: notInstalled,
      onChange,
    })
    const installation: ModelInstallation = createModelInstallation({
      ...deps,
      model: description,
      folder,
      retryMs: deps.modelDownloadRetryMs ?? defaultRetryMs,
      onChange: () => {
        model.setMissing(installation.isInstalled() ? null : notInstalled)
        onChange()
      },
    })
    return { model, installation }
  }

  const installables = (deps.installableModels ?? [multilingualE5Small]).map(createInstallable)
  const models = [shipped, ...installables.map(({ model }) => model)]
  const modelOf = (id: string) => models.find(({ model }) => model.id === id)

  return {
    installations: installables.map(({ installation }) => installation),

    /** Ids of the models that are available. */
    list: (): string[] =>
      models.filter((one) => one.problem() === null).map(({ model }) => model.id),

    /** Whether it is not known yet if the model is installed, such as just after the start. */
    isBeingVerified: (id: string): boolean =>
      installables.some(
        ({ model, installation }) => model.model.id === id && installation.isBeingVerified(),
      ),

    /** Why a model is unavailable at present, as a sentence; null if it is available. */
    problemOf: (id: string): MessageOrText | null => {
      const model = modelOf(id)
      return model ? model.problem() : translatable("model_not_offered", { id })
    },

    /** Registers a callback for when a model becomes unavailable or available. */
    onChange: (listener: () => void): void => void listeners.add(listener),

    /** Looks for models that were installed before, or by hand. */
    refresh: async (): Promise<void> => {
      await Promise.all(installables.map(({ installation }) => installation.refresh()))
    },

    /** Unit vectors of the texts, in order. */
    embed: async (
      id: string,
      input: { texts: readonly string[]; kind: EmbeddingInputType },
      signal: AbortSignal,
    ): Promise<Float32Array[]> => {
      const model = modelOf(id)
      if (!model) throw new Error(`There is no embedding model ${id}`)
      return model.embed(input, signal)
    },

    close: async (): Promise<void> => {
      for (const model of models) model.close()
      await Promise.all(installables.map(({ installation }) => installation.close()))
    },
  }
}

export type BuiltInModels = ReturnType<typeof createBuiltInModels>

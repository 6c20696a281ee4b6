import type { Audit } from "../../audit/audit.ts"
import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Database } from "../../db/database.ts"
import { fail } from "../../errors.ts"
import type { Actor } from "../../http/caller.ts"
import { toReference, toText, translatable } from "../../i18n/message.ts"
import { modelNameOf } from "./built-in/model-descriptions.ts"
import type { ModelInstallation } from "./built-in/model-installation.ts"
import type { EmbeddingIndexes } from "./embedding-indexes.ts"
import { type ModelInstallationStatus, noEmbeddingModel } from "./schema.ts"

interface Deps {
  installations: readonly ModelInstallation[]
  /** The setting `embedding_model`. */
  chosenModel: () => string
  indexes: Pick<EmbeddingIndexes, "current">
  audit: Audit
  db: Database
  background: BackgroundTasks
}

/** Lets administrators install and remove the models that the gateway can run itself. */
export const createModelInstaller = (deps: Deps) => {
  const { installations, chosenModel, indexes, audit, db, background } = deps

  const find = (name: string): ModelInstallation =>
    installations.find(({ model }) => modelNameOf(model) === name) ??
    fail("model_not_found", translatable("model_not_found", { id: name }))

  const describe = async (installation: ModelInstallation): Promise<ModelInstallationStatus> => {
    const { model } = installation
    const { problem, ...status } = await installation.status()
    return {
      id: model.id,
      name: modelNameOf(model),
      size: model.weights.size + model.tokenizer.size,
      license: model.source.license,
      ...status,
      problem: problem && toText(problem),
      problem_reference: toReference(problem),
    }
  }

  const record = (
    actor: Actor,
    action: string,
    { model: { id } }: ModelInstallation,
  ): Promise<void> =>
    audit.recordDurably(db, { actor, action, target: { type: "embedding_model", id } })

  const isInUse = ({ model: { id } }: ModelInstallation): boolean => {
    if (chosenModel() === noEmbeddingModel) return false
    const { active, building } = indexes.current()
    return [chosenModel(), active?.model, building?.model].includes(id)
  }

  return {
    list: (): Promise<ModelInstallationStatus[]> => Promise.all(installations.map(describe)),

    /** Starts an installation; `list` returns its progress. */
    install: async (actor: Actor, name: string): Promise<ModelInstallationStatus> => {
      const installation = find(name)
      const started = await installation.install()
      if (started) {
        await record(actor, "embedding_model.install_requested", installation)
        void background.runInBackground("install an embedding model", async () => {
          if (await started.ended) await record(actor, "embedding_model.installed", installation)
        })
      }
      return describe(installation)
    },

    /** Removes a model, or cancels its installation. */
    remove: async (actor: Actor, name: string): Promise<ModelInstallationStatus> => {
      const installation = find(name)
      if (installation.isInstalled() && isInUse(installation))
        fail("in_use", translatable("model_in_use"))
      await installation.remove()
      await record(actor, "embedding_model.removed", installation)
      return describe(installation)
    },
  }
}

export type ModelInstaller = ReturnType<typeof createModelInstaller>

import type { ConnectionRegistry } from "../../connections/connection-registry.ts"
import { fail } from "../../errors.ts"
import type { Caller } from "../../http/caller.ts"
import { type MessageOrText, toReference, toText } from "../../i18n/message.ts"
import type { SettingsStore } from "../../settings/settings.ts"
import type { EmbeddingIndex, VectorStore } from "../vectors/vector-store.ts"
import { allMiniLM, isBuiltInModelId } from "./built-in/model-descriptions.ts"
import type { EmbeddingIndexes } from "./embedding-indexes.ts"
import type { EmbeddingModels } from "./embedding-models.ts"
import type { ModelInstaller } from "./model-installer.ts"
import { type EmbeddingStatus, noEmbeddingModel } from "./schema.ts"

interface Deps {
  models: EmbeddingModels
  registry: ConnectionRegistry
  settings: SettingsStore
  indexes: Pick<EmbeddingIndexes, "current">
  vectors: Pick<VectorStore, "progress">
  installer: Pick<ModelInstaller, "list">
}

type AdminStatus = NonNullable<EmbeddingStatus["admin"]>

/** Recommended if a connected runtime can pull it. */
const recommended = {
  name: "bge-m3",
  size: 1_200_000_000,
  note: "Works in more than 100 languages; the built-in model works best in English.",
}

const describeReason = (reason: MessageOrText | null) => ({
  reason: reason && toText(reason),
  reason_reference: toReference(reason),
})

/**
 * Reports which model provides semantic search, and rejects settings that name an unknown model.
 */
export const createEmbeddingStatusReader = ({
  models,
  registry,
  settings,
  indexes,
  vectors,
  installer,
}: Deps) => {
  settings.addCheck(async (_actor, { embedding_model: id }) => {
    const isKnown = [undefined, "", noEmbeddingModel, settings.current().embedding_model].includes(
      id,
    )
    const ids = models.list().map((model) => model.id)
    if (isKnown || id === undefined || ids.includes(id)) return
    const hint =
      ids.length > 0 ? `Choose one of: ${ids.join(", ")}.` : "No embedding models are available."
    fail("bad_request", `Unknown embedding model "${id}". ${hint}`)
  })

  const modelOf = (index: EmbeddingIndex | null): EmbeddingStatus["model"] => {
    if (!index || !models.isEnabled()) return null
    const reason = models.problemOf(index.model)
    const { model: id } = index
    const built_in = isBuiltInModelId(id)
    return { id, built_in, available: reason === null, ...describeReason(reason) }
  }

  const chosenBy = (): AdminStatus["choice"]["by"] => {
    if (settings.current().embedding_model === "") return "automatic"
    return settings.view().locked.embedding_model === undefined ? "administrator" : "environment"
  }

  const problemOfChoice = (active: EmbeddingIndex | null): MessageOrText | null => {
    if (!models.isEnabled() || models.choose(active?.model ?? null) !== null) return null
    return models.problemOf(settings.current().embedding_model || allMiniLM.id)
  }

  const readChoice = (active: EmbeddingIndex | null): AdminStatus["choice"] => {
    const problem = problemOfChoice(active)
    return {
      by: chosenBy(),
      model: settings.current().embedding_model || null,
      variable: settings.view().locked.embedding_model ?? null,
      problem: problem && toText(problem),
      problem_reference: toReference(problem),
    }
  }

  const readProgress = async (index: EmbeddingIndex | null): Promise<AdminStatus["building"]> => {
    if (!index || !models.isEnabled()) return null
    const { done, total } = await vectors.progress(index.id)
    return done < total ? { model: index.model, done, total } : null
  }

  const recommend = (): AdminStatus["recommended"] => {
    const canPull = registry
      .runtimes()
      .some((runtime) => runtime.hasListed() && runtime.isAvailable())
    const isInstalled = models.list().some(({ id }) => id.includes(recommended.name))
    return canPull && !isInstalled ? recommended : null
  }

  return {
    read: async (caller: Caller): Promise<EmbeddingStatus> => {
      const { active, building } = indexes.current()
      const model = modelOf(active)
      if (caller.user.role !== "admin") {
        // The reason may contain file paths of the server.
        const reason = model?.reason ? "The model is currently unavailable." : null
        return { model: model && { ...model, ...describeReason(reason) }, admin: null }
      }
      return {
        model,
        admin: {
          choice: readChoice(active),
          building: (await readProgress(building)) ?? (await readProgress(active)),
          models: models.list(),
          recommended: recommend(),
          installable: await installer.list(),
        },
      }
    },
  }
}

export type EmbeddingStatusReader = ReturnType<typeof createEmbeddingStatusReader>

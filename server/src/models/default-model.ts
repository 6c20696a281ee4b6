import type { ConnectionRegistry, Endpoint } from "../connections/connection-registry.ts"
import { failInvalid } from "../errors.ts"
import type { Principal } from "../grants/grants.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { maxChainLength } from "./base-model-chain.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { comparableId } from "./precedence.ts"

interface Deps {
  settings: SettingsStore
  catalogue: Pick<ModelCatalogue, "effectiveModel" | "isUsableBy" | "listWorkspace" | "ownerOf">
  registry: Pick<ConnectionRegistry, "endpoints">
}

/** For providers that do not report capabilities, the name is a hint. */
const embedsByName = /(^|[-_/:. ])embed/i

const answersChats = ({ id, model }: Endpoint): boolean =>
  !(model.capabilities.embedding ?? embedsByName.test(id))

/** Chooses the model of new chats for those who have not used one yet. */
export const createDefaultModel = ({ settings, catalogue, registry }: Deps) => {
  /** Connections are in the order in which administrators sorted them. */
  const findOffered = (caller: Principal): string | undefined => {
    for (const [id, endpoints] of registry.endpoints()) {
      const isAvailable = endpoints.some((one) => answersChats(one) && one.upstream.isAvailable())
      if (isAvailable && catalogue.isUsableBy(caller, id)) return id
    }
    return undefined
  }

  /** For people to whom administrators only give models that they made. */
  const findOfAdmins = (caller: Principal): string | undefined =>
    catalogue
      .listWorkspace()
      .map(({ summary }) => summary)
      .filter((model) => catalogue.ownerOf(model)?.user.role === "admin")
      .find(({ id }) => catalogue.isUsableBy(caller, id))?.id

  return {
    /**
     * The model that administrators chose, or else the first one of a connection, or else the first
     * one that an administrator made. Other people's models are never the default unless an
     * administrator chose them: their owners decide on their prompts.
     * @returns "" if there is none
     */
    find: (caller: Principal): string => {
      const { default_model: chosen } = settings.current()
      if (chosen !== "" && catalogue.isUsableBy(caller, chosen)) return chosen
      return findOffered(caller) ?? findOfAdmins(caller) ?? ""
    },

    /** Whether an id equals or resembles that of the model that administrators chose. */
    isChosen: (id: string): boolean =>
      comparableId(id) === comparableId(settings.current().default_model),
  }
}

/** Rejects a default model of new chats that is disabled or only creates embeddings. */
export const checkDefaultModel = ({
  settings,
  catalogue,
  registry,
}: Omit<Deps, "directory">): void => {
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

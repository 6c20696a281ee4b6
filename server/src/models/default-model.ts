import type { Connection } from "../connections/connection.ts"
import {
  type ConnectionRegistry,
  type Endpoint,
  prefixedModelId,
} from "../connections/connection-registry.ts"
import { failInvalid } from "../errors.ts"
import { mayUse, type Principal } from "../grants/access.ts"
import { translatable } from "../i18n/message.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { maxChainLength } from "./base-model-chain.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { comparableId } from "./id-precedence.ts"
import { isEmbeddingModel } from "./is-chat-model.ts"

interface Deps {
  settings: SettingsStore
  catalogue: Pick<
    ModelCatalogue,
    "effectiveModel" | "mayUse" | "listWorkspace" | "ownerOf" | "workspace"
  >
  registry: Pick<ConnectionRegistry, "endpoints" | "connections">
}

const answersChats = ({ id, model }: Endpoint): boolean => !isEmbeddingModel(id, model.capabilities)

/** Finds what answers in the end, also for models that are based on others. */
const createEndpointFinder = ({ catalogue, registry }: Omit<Deps, "settings">) => {
  const baseOf = (id: string, length = 0): string => {
    const base = catalogue.effectiveModel(id)?.base_model_id
    const isLast = base === undefined || base === id || length === maxChainLength
    return isLast ? id : baseOf(base, length + 1)
  }
  /** Empty for functions. */
  return (id: string): readonly Endpoint[] => {
    const base = baseOf(id)
    const all = registry.endpoints()
    return all.get(base) ?? all.get(`${base}:latest`) ?? []
  }
}

/** Chooses the model of new chats for those who have not used one yet. */
export const createDefaultModel = ({ settings, catalogue, registry }: Deps) => {
  const endpointsOf = createEndpointFinder({ catalogue, registry })

  /** The first of a connection's chat models that the caller may use. */
  const findOn = (connection: Connection, caller: Principal): string | undefined => {
    if (!mayUse(connection.config, caller)) return undefined
    return connection
      .models()
      .map((model) => ({ id: prefixedModelId(connection.config, model.name), connection, model }))
      .find((one) => answersChats(one) && catalogue.mayUse(caller, one.id))?.id
  }

  /** Connections are in the order in which administrators sorted them. */
  const findOffered = (
    caller: Principal,
    isConsidered: (connection: Connection) => boolean,
  ): string | undefined => {
    for (const connection of registry.connections()) {
      const id = isConsidered(connection) ? findOn(connection, caller) : undefined
      if (id !== undefined) return id
    }
    return undefined
  }

  /** For people to whom administrators only give models that they made. */
  const findOfAdmins = (
    caller: Principal,
    isConsidered: (connection: Connection) => boolean,
  ): string | undefined => {
    const canAnswer = (id: string): boolean => {
      const endpoints = endpointsOf(id)
      return (
        endpoints.length === 0 ||
        endpoints.some((one) => answersChats(one) && isConsidered(one.connection))
      )
    }
    return catalogue
      .listWorkspace()
      .map(({ summary }) => summary)
      .filter((model) => catalogue.ownerOf(model)?.user.role === "admin")
      .find(({ id }) => catalogue.mayUse(caller, id) && canAnswer(id))?.id
  }

  return {
    /**
     * The model that administrators chose, or else the first one of a connection, or else the first
     * one that an administrator made; those whose connection is down come last. Other people's
     * models are never the default unless an administrator chose them: their owners decide on their
     * prompts.
     * @returns "" if there is none
     */
    find: (caller: Principal): string => {
      const { default_model: chosen } = settings.current()
      if (chosen !== "" && catalogue.mayUse(caller, chosen)) return chosen
      const isUp = (connection: Connection): boolean => connection.isAvailable()
      const isAny = (): boolean => true
      return (
        findOffered(caller, isUp) ??
        findOfAdmins(caller, isUp) ??
        findOffered(caller, isAny) ??
        findOfAdmins(caller, isAny) ??
        ""
      )
    },

    /** Whether an id equals or resembles that of the model that administrators chose. */
    isChosen: (id: string): boolean =>
      comparableId(id) === comparableId(settings.current().default_model),
  }
}

/**
 * Rejects a default model of new chats that is disabled or only creates embeddings, or whose ID
 * would lead to a user's model if it disappeared.
 */
export const checkDefaultModel = ({ settings, catalogue, registry }: Deps): void => {
  const endpointsOf = createEndpointFinder({ catalogue, registry })
  /** Without the model that takes precedence now, this one would become everyone's default. */
  const hidesAnother = (id: string): boolean =>
    catalogue.workspace(id) !== undefined && catalogue.effectiveModel(id) === undefined

  settings.addCheck(async (_actor, { default_model: id }) => {
    if (!id || id === settings.current().default_model) return
    if (catalogue.effectiveModel(id)?.is_active === false) {
      failInvalid("default_model", translatable("model_disabled"))
    }
    if (hidesAnother(id)) {
      failInvalid("default_model", translatable("model_id_conflict"))
    }
    if (endpointsOf(id).some(({ model }) => model.capabilities.embedding === true)) {
      failInvalid("default_model", translatable("model_is_embedding_model"))
    }
  })
}

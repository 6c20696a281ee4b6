import type { ConnectionRegistry, Endpoint } from "../../connections/connection-registry.ts"
import { isUnrestricted } from "../../grants/access.ts"
import { type MessageOrText, translatable } from "../../i18n/message.ts"
import type { BuiltInModels } from "./built-in/built-in-models.ts"
import { isBuiltInModelId } from "./built-in/model-descriptions.ts"
import type { EmbeddingInputType } from "./embedding-input-type.ts"
import { type AvailableModel, noEmbeddingModel } from "./schema.ts"

/** Names of embedding models, for providers that do not report capabilities. */
const embeddingNames = /embed|(^|[/_-])(bge|gte|e5|minilm|gritlm|jina-v)/i

/** Prefixes that some models were trained with. */
const prefixes: [model: RegExp, query: string, passage: string][] = [
  [/nomic-embed/i, "search_query: ", "search_document: "],
  [/(^|[/_-])(multilingual-)?e5/i, "query: ", "passage: "],
  [
    /mxbai-embed|bge-(small|base|large)-en|arctic-embed/i,
    "Represent this sentence for searching relevant passages: ",
    "",
  ],
]

/** The text with the prefix that `model` expects. */
export const addPrefix = (model: string, kind: EmbeddingInputType, text: string): string => {
  const [, query = "", passage = ""] = prefixes.find(([names]) => names.test(model)) ?? []
  return (kind === "query" ? query : passage) + text
}

const canEmbed = ({ model }: Endpoint): boolean =>
  model.capabilities.embedding ??
  (embeddingNames.test(model.name) && model.capabilities.completion !== true)

interface Deps {
  registry: ConnectionRegistry
  builtIn: BuiltInModels
  /** The setting `embedding_model`: a model's id, `none`, or empty for an automatic choice. */
  chosenModel: () => string
}

/** Lists the available embedding models and chooses the one to use. */
export const createEmbeddingModels = ({ registry, builtIn, chosenModel }: Deps) => {
  const endpointsOf = (id: string): readonly Endpoint[] => {
    if (isBuiltInModelId(id)) return []
    const endpoints = registry.endpoints()
    return endpoints.get(id) ?? endpoints.get(`${id}:latest`) ?? []
  }

  /** Models of connections, local ones first. */
  const connectionModels = (): [id: string, endpoints: readonly Endpoint[]][] => {
    const usable = [...registry.endpoints()].filter(
      ([id, endpoints]) =>
        !isBuiltInModelId(id) &&
        endpoints.some(
          (endpoint) => canEmbed(endpoint) && isUnrestricted(endpoint.connection.config),
        ),
    )
    const isLocal = ([, endpoints]: (typeof usable)[number]): boolean =>
      endpoints.some(({ connection }) => connection.provider.connection_type === "local")
    return [...usable.filter(isLocal), ...usable.filter((one) => !isLocal(one))]
  }

  /** Why a model is currently unavailable, as a sentence; null if it is available. */
  const problemOf = (id: string): MessageOrText | null => {
    if (isBuiltInModelId(id)) return builtIn.problemOf(id)
    return endpointsOf(id).length > 0 ? null : translatable("model_not_offered", { id })
  }
  const isAvailable = (id: string): boolean => problemOf(id) === null
  const isEnabled = (): boolean => chosenModel() !== noEmbeddingModel

  /** Just after the start, connections are about to list their models, and files to be verified. */
  const isUnknown = (id: string): boolean =>
    builtIn.isBeingVerified(id) ||
    !registry.connections().every((connection) => connection.hasListed())

  const chooseAutomatically = (current: string | null): string | null => {
    if (current !== null && (isAvailable(current) || isUnknown(current))) return current
    return builtIn.list()[0] ?? connectionModels()[0]?.[0] ?? null
  }

  return {
    endpointsOf,
    isEnabled,
    problemOf,
    /** Whether a model can be used now. */
    isUsable: (id: string): boolean => isEnabled() && isAvailable(id),

    /** The models that can be chosen. */
    list: (): AvailableModel[] => [
      ...builtIn.list().map((id) => ({ id, built_in: true, connections: [] })),
      ...connectionModels().map(([id, endpoints]) => ({
        id,
        built_in: false,
        connections: endpoints
          .filter(({ connection }) => isUnrestricted(connection.config))
          .map(({ connection }) => connection.config.name),
      })),
    ],

    /**
     * The model to use: the configured one, else the one that has an index (`current`), else the
     * built-in one. Null if there is none, or if the configured one is unavailable.
     */
    choose: (current: string | null): string | null => {
      const id = chosenModel()
      if (id === "") return chooseAutomatically(current)
      return isEnabled() && isAvailable(id) ? id : null
    },
  }
}

export type EmbeddingModels = ReturnType<typeof createEmbeddingModels>

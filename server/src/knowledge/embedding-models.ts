import type { Offer, Registry } from "../connections/registry.ts"

/** Names of embedding models where a provider does not say what a model can do. */
const embeds = /embed|(^|[/_-])(bge|gte|e5|minilm|gritlm|jina-v)/i

/** What some models want before a text, which they were trained with. */
const prefixes: [model: RegExp, query: string, passage: string][] = [
  [/nomic-embed/i, "search_query: ", "search_document: "],
  [/(^|[/_-])(multilingual-)?e5/i, "query: ", "passage: "],
  [
    /mxbai-embed|bge-(small|base|large)-en|arctic-embed/i,
    "Represent this sentence for searching relevant passages: ",
    "",
  ],
]

export type TextKind = "query" | "passage"

/** A text as `model` wants it. */
export const prefixed = (model: string, kind: TextKind, text: string): string => {
  const [, query = "", passage = ""] = prefixes.find(([names]) => names.test(model)) ?? []
  return (kind === "query" ? query : passage) + text
}

const canEmbed = ({ model }: Offer): boolean =>
  model.capabilities.embedding ??
  (embeds.test(model.name) && model.capabilities.completion !== true)

const isForAll = ({ upstream }: Offer): boolean => upstream.config.access_grants === null

/** Which embedding models there are: the fixed one, else local ones before external ones. */
export const createEmbeddingModels = (registry: Registry, fixed: string | undefined) => {
  const offersOf = (id: string): readonly Offer[] => {
    const offers = registry.offers()
    return offers.get(id) ?? offers.get(`${id}:latest`) ?? []
  }
  const found = (): string[] => {
    const usable = [...registry.offers()].filter(([, offers]) =>
      offers.some((offer) => canEmbed(offer) && isForAll(offer)),
    )
    const isLocal = ([, offers]: (typeof usable)[number]): boolean =>
      offers.some(({ upstream }) => upstream.provider.connection_type === "local")
    return [...usable.filter(isLocal), ...usable.filter((one) => !isLocal(one))].map(([id]) => id)
  }
  return {
    offersOf,
    /** The one to use; `current` stays as long as somebody offers it. */
    choose: (current: string | null): string | null => {
      if (fixed !== undefined) return offersOf(fixed).length > 0 ? fixed : null
      if (current !== null && offersOf(current).length > 0) return current
      return found()[0] ?? null
    },
  }
}

export type EmbeddingModels = ReturnType<typeof createEmbeddingModels>

import { hasPrice } from "./cost.ts"
import type { ModelFacts, PriceEntry } from "./schema.ts"

/** The connection of which a price is looked up. */
export interface PricedConnection {
  id: string
  kind: string
  base_url: string
}

export interface PriceQuery {
  /**
   * The model's id in the gateway: the connection's prefix and its own name of the model. A user may
   * give a model of the workspace any id, so those never count.
   */
  endpointId: string
  /** The connection's own name of the model. */
  upstreamModel: string
  connection: PricedConnection
  /** Epoch seconds. */
  at: number
}

interface Deps {
  custom: readonly PriceEntry[]
  shipped: readonly PriceEntry[]
  /** The provider to which a host belongs; null if it is none of those known. */
  providerOfHost: (host: string) => string | null
}

type EntriesByModel = ReadonlyMap<string, readonly PriceEntry[]>

/** By model, the latest first. */
const groupByModel = (entries: readonly PriceEntry[]): EntriesByModel => {
  const groups = Map.groupBy(entries, ({ model }) => model)
  for (const group of groups.values()) group.sort((a, b) => b.from - a.from)
  return groups
}

/** A provider's own host, or what kind of API it has; OpenAI's is that of many others too. */
const providerOf = ({ kind }: PricedConnection, ofHost: string | null): string | null =>
  ofHost ?? (kind === "openai" ? null : kind)

/** Google lists its models as `models/gemini-…` and accepts them without the prefix. */
const namesOf = (upstreamModel: string): string[] => {
  const short = upstreamModel.replace(/^models\//, "")
  return short === upstreamModel ? [upstreamModel] : [upstreamModel, short]
}

/** Without the dot that ends an absolute name. */
const hostOf = (url: string): string | null => URL.parse(url)?.hostname.replace(/\.$/, "") ?? null

/** What the first entry that states a fact says. */
const mergeFacts = (entries: readonly PriceEntry[]): ModelFacts => {
  const facts: ModelFacts = {}
  for (const { context_length, max_output, capabilities, ...entry } of entries) {
    const { end_of_life, successor, source } = entry
    const stated = { context_length, max_output, capabilities, end_of_life, successor, source }
    for (const [name, value] of Object.entries(stated)) {
      if (value !== undefined && !Object.hasOwn(facts, name))
        Object.assign(facts, { [name]: value })
    }
  }
  return facts
}

/** What was found of a model on a connection. */
interface KnownModel {
  endpointId: string
  /** The entries with a price that its requests may have, at whatever time; the first holds. */
  prices: readonly PriceEntry[]
  /** Epoch seconds. */
  factsAt: number
  facts: ModelFacts
}

/** Clients name models of local runtimes. */
const maxKnownModels = 10_000

/** Finds the entries of a model. The more specific ones come first. */
export const createPriceIndex = ({ custom, shipped, providerOfHost }: Deps) => {
  const customByModel = groupByModel(custom)
  const shippedByModel = groupByModel(shipped)
  const providerByUrl = new Map<string, string | null>()
  const modelsByConnection = new WeakMap<PricedConnection, Map<string, KnownModel>>()

  /** Each request asks: parsing the address takes longer than all that follows. */
  const providerOfUrl = (url: string): string | null => {
    const known = providerByUrl.get(url)
    if (known !== undefined) return known
    const host = hostOf(url)
    const provider = host === null ? null : providerOfHost(host)
    providerByUrl.set(url, provider)
    return provider
  }

  /** For each scope the entries that have begun, the latest first. */
  const findScopes = (query: PriceQuery): PriceEntry[][] => {
    const { endpointId, upstreamModel, connection, at } = query
    const ofHost = providerOfUrl(connection.base_url)
    const provider = providerOf(connection, ofHost)
    const ownNames = namesOf(upstreamModel)
    const begun = (entries: EntriesByModel, model: string) =>
      (entries.get(model) ?? []).filter(({ from }) => from <= at)
    const customScopes = [...new Set([endpointId, ...ownNames])].flatMap((model) => {
      const entries = begun(customByModel, model)
      if (entries.length === 0) return []
      return [
        entries.filter((entry) => entry.connection === connection.id),
        entries.filter((entry) => provider !== null && entry.provider === provider),
        entries.filter((entry) => !(entry.connection || entry.provider)),
      ]
    })
    // A local server offers models under the names of others.
    const shippedScopes = ownNames.map((model) =>
      begun(shippedByModel, model).filter((entry) => ofHost !== null && entry.provider === ofHost),
    )
    return [...customScopes, ...shippedScopes]
  }

  const findFacts = (query: PriceQuery): ModelFacts =>
    mergeFacts(findScopes(query).flatMap(([latest]) => latest ?? []))

  /** Each request asks several times. */
  const findModel = (query: PriceQuery): KnownModel => {
    const { endpointId, upstreamModel, connection, at } = query
    const models = modelsByConnection.get(connection) ?? new Map<string, KnownModel>()
    const known = models.get(upstreamModel)
    if (known?.endpointId === endpointId) return known
    const always = { ...query, at: Number.POSITIVE_INFINITY }
    const prices = findScopes(always).flat().filter(hasPrice)
    const model = { endpointId, prices, factsAt: at, facts: findFacts(query) }
    if (models.size >= maxKnownModels) models.clear()
    models.set(upstreamModel, model)
    modelsByConnection.set(connection, models)
    return model
  }

  return {
    /** The provider that a connection belongs to; null if it is none of those known. */
    providerOf: (connection: PricedConnection): string | null =>
      providerOf(connection, providerOfUrl(connection.base_url)),

    /** The entry that sets the price of a request; undefined if it is unknown. */
    findPrice: (query: PriceQuery): PriceEntry | undefined =>
      findModel(query).prices.find(({ from }) => from <= query.at),

    /** What is known of a model besides its price. */
    findFacts: (query: PriceQuery): ModelFacts => {
      const model = findModel(query)
      if (model.factsAt !== query.at) {
        model.facts = findFacts(query)
        model.factsAt = query.at
      }
      return model.facts
    },
  }
}

export type PriceIndex = ReturnType<typeof createPriceIndex>

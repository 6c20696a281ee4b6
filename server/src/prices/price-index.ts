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

/** The entries with a price that requests to a model may have, at whatever time; the first holds. */
interface KnownPrices {
  endpointId: string
  entries: readonly PriceEntry[]
}

/** Clients name models of local runtimes. */
const maxKnownModels = 10_000

/** Finds the entries of a model. The more specific ones come first. */
export const createPriceIndex = ({ custom, shipped, providerOfHost }: Deps) => {
  const customByModel = groupByModel(custom)
  const shippedByModel = groupByModel(shipped)
  const providerByUrl = new Map<string, string | null>()
  const pricesByConnection = new WeakMap<PricedConnection, Map<string, KnownPrices>>()

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

  /** Each request asks several times. */
  const pricesOf = (query: PriceQuery): readonly PriceEntry[] => {
    const { endpointId, upstreamModel, connection } = query
    const pricesByModel = pricesByConnection.get(connection) ?? new Map<string, KnownPrices>()
    const known = pricesByModel.get(upstreamModel)
    if (known?.endpointId === endpointId) return known.entries
    const always = { ...query, at: Number.POSITIVE_INFINITY }
    const entries = findScopes(always).flat().filter(hasPrice)
    if (pricesByModel.size >= maxKnownModels) pricesByModel.clear()
    pricesByModel.set(upstreamModel, { endpointId, entries })
    pricesByConnection.set(connection, pricesByModel)
    return entries
  }

  return {
    /** The provider that a connection belongs to; null if it is none of those known. */
    providerOf: (connection: PricedConnection): string | null =>
      providerOf(connection, providerOfUrl(connection.base_url)),

    /** The entry that sets the price of a request; undefined if it is unknown. */
    findPrice: (query: PriceQuery): PriceEntry | undefined =>
      pricesOf(query).find(({ from }) => from <= query.at),

    /** What is known of a model besides its price. */
    findFacts: (query: PriceQuery): ModelFacts =>
      mergeFacts(findScopes(query).flatMap(([latest]) => latest ?? [])),
  }
}

export type PriceIndex = ReturnType<typeof createPriceIndex>

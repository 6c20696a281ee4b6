import type { ConnectionRegistry, Endpoint } from "../connections/connection-registry.ts"
import type { EndpointPrices } from "./endpoint-prices.ts"
import { keyOfEntry, scopeOf } from "./import-plan.ts"
import type { PriceRegistry } from "./price-registry.ts"
import type { Prices } from "./prices.ts"
import type { PricedModel, PricedModelPage, PricedModelQuery } from "./request-schema.ts"
import { ModelFacts, type PriceEntry, type PriceView } from "./schema.ts"

interface Deps {
  registry: Pick<ConnectionRegistry, "endpoints" | "byId">
  priceRegistry: Pick<PriceRegistry, "providerOf" | "toView">
  endpointPrices: EndpointPrices
  prices: Pick<Prices, "listAll">
  shippedDate: string
  now: () => number
}

const factsOfEntry = (entry: PriceEntry): ModelFacts =>
  ModelFacts.parse(
    Object.fromEntries(
      Object.keys(ModelFacts.shape).map((name) => [name, entry[name as keyof ModelFacts]]),
    ),
  )

/** Of each model, provider and connection, what holds now; otherwise what will hold first. */
const currentEntries = (views: readonly PriceView[], now: number): PriceView[] => {
  const currentByScope = new Map<string, PriceView>()
  // Of one scope, the latest entries come first.
  for (const view of views) {
    const scope = `${view.origin} ${scopeOf(view)}`
    const current = currentByScope.get(scope)
    if (!current || current.from > now) currentByScope.set(scope, view)
  }
  return [...currentByScope.values()]
}

/** Models with their current prices, as administrators look for those that are missing. */
export const createPricedModels = (deps: Deps) => {
  const { registry, priceRegistry, endpointPrices, prices, shippedDate, now } = deps

  /** One row for the connections on which a model costs the same. */
  const rowsOf = (model: string, endpoints: readonly Endpoint[]): PricedModel[] => {
    const entries = endpoints.map((endpoint) => ({
      endpoint,
      entry: endpointPrices.priceOf(endpoint.connection, endpoint.model.name),
      provider: priceRegistry.providerOf(endpoint.connection.config),
    }))
    const groups = Map.groupBy(entries, ({ endpoint, entry, provider }) =>
      JSON.stringify([entry && keyOfEntry(entry), provider, endpoint.model.name]),
    )
    return [...groups.values()].flatMap((group) => {
      const [first] = group
      if (!first) return []
      const { endpoint, entry, provider } = first
      const facts = endpointPrices.factsOf(endpoint)
      const context_length = endpointPrices.contextLengthOf(endpoint)
      return {
        ...{ model, upstream_model: endpoint.model.name, provider },
        connections: group.map(({ endpoint: { connection } }) => ({
          id: connection.config.id,
          name: connection.config.name,
        })),
        price: entry ? priceRegistry.toView(entry) : null,
        facts: { ...facts, ...(context_length !== null && { context_length }) },
      }
    })
  }

  const listOffered = (): PricedModel[] =>
    [...registry.endpoints()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([model, endpoints]) => rowsOf(model, endpoints))

  const listEntries = (origin: "custom" | "all"): PricedModel[] =>
    currentEntries(prices.listAll(origin), now()).map((price) => {
      const { model, provider = null, connection } = price
      const name = connection && (registry.byId(connection)?.config.name ?? connection)
      return {
        ...{ model, upstream_model: null, provider, price },
        connections: connection && name ? [{ id: connection, name }] : [],
        facts: factsOfEntry(price),
      }
    })

  const listView = (view: PricedModelQuery["view"]): PricedModel[] => {
    if (view === "custom" || view === "all") return listEntries(view)
    const offered = listOffered()
    return view === "offered" ? offered : offered.filter(({ price }) => price === null)
  }

  return {
    list: ({ page, page_size, query, model, view }: PricedModelQuery): PricedModelPage => {
      const part = query?.toLowerCase() ?? ""
      const found = listView(view)
        .filter((row) => model === undefined || row.model === model)
        .filter((row) => row.model.toLowerCase().includes(part))
      const start = (page - 1) * page_size
      const items = found.slice(start, start + page_size)
      return { items, total: found.length, shipped_date: shippedDate }
    },
  }
}

export type PricedModels = ReturnType<typeof createPricedModels>

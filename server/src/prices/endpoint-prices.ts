import type { Endpoint } from "../connections/connection-registry.ts"
import type { PriceQuery } from "./price-index.ts"
import type { PriceRegistry } from "./price-registry.ts"
import type { ModelFacts, PriceEntry } from "./schema.ts"

interface Deps {
  priceRegistry: Pick<PriceRegistry, "findPrice" | "findFacts">
  now: () => number
}

/** What is known of models on their connections. */
export interface EndpointPrices {
  /** The entry that sets the price of a model now; undefined if it is unknown. */
  priceOf(endpoint: Endpoint): PriceEntry | undefined
  factsOf(endpoint: Endpoint): ModelFacts
  /** What the provider reports, or else the catalog; null if neither does. */
  contextLengthOf(endpoint: Endpoint): number | null
}

export const createEndpointPrices = ({ priceRegistry, now }: Deps): EndpointPrices => {
  const queryOf = ({ id, model, connection }: Endpoint): PriceQuery => ({
    endpointId: id,
    upstreamModel: model.name,
    connection: connection.config,
    at: now(),
  })
  const factsOf = (endpoint: Endpoint): ModelFacts => priceRegistry.findFacts(queryOf(endpoint))

  return {
    priceOf: (endpoint) => priceRegistry.findPrice(queryOf(endpoint)),
    factsOf,
    contextLengthOf: (endpoint) =>
      endpoint.model.context_length ?? factsOf(endpoint).context_length ?? null,
  }
}

import type { Connection } from "../connections/connection.ts"
import type { Endpoint } from "../connections/connection-registry.ts"
import { endpointQuery } from "./price-lookup.ts"
import type { PriceRegistry } from "./price-registry.ts"
import type { ModelFacts, PriceEntry } from "./schema.ts"

interface Deps {
  priceRegistry: Pick<PriceRegistry, "findPrice" | "findFacts">
  /** Epoch seconds. */
  now: () => number
}

/** What is known of models on their connections. */
export interface EndpointPrices {
  /**
   * The entry that sets the price of a model now; undefined if it is unknown.
   * @param model the connection's own name
   */
  priceOf(connection: Pick<Connection, "config">, model: string): PriceEntry | undefined
  factsOf(endpoint: Endpoint): ModelFacts
  /** What the provider reports, or else the catalog; null if neither does. */
  contextLengthOf(endpoint: Endpoint): number | null
}

export const createEndpointPrices = ({ priceRegistry, now }: Deps): EndpointPrices => {
  const factsOf = ({ connection, model }: Endpoint): ModelFacts =>
    priceRegistry.findFacts(endpointQuery(connection.config, model.name, now()))

  return {
    priceOf: (connection, model) =>
      priceRegistry.findPrice(endpointQuery(connection.config, model, now())),
    factsOf,
    contextLengthOf: (endpoint) =>
      endpoint.model.context_length ?? factsOf(endpoint).context_length ?? null,
  }
}

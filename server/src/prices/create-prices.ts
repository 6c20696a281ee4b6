import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { Database } from "../db/database.ts"
import { createEndpointPrices } from "./endpoint-prices.ts"
import { createPriceRegistry, type ShippedPrices } from "./price-registry.ts"
import { createPricedModels } from "./priced-models.ts"
import { createPrices } from "./prices.ts"
import { createRequestCost } from "./request-cost.ts"
import { createPriceStore } from "./store.ts"
import { createPriceTransfer } from "./transfer.ts"

interface Deps {
  db: Database
  bus: Bus
  audit: Audit
  registry: ConnectionRegistry
  shippedPrices: ShippedPrices
  /** Names of all connections by id, from the environment too. */
  connectionNames: () => Promise<ReadonlyMap<string, string>>
  now: () => number
}

/** Creates the catalog of prices and facts of models. */
export const createPriceParts = async ({ shippedPrices, ...deps }: Deps) => {
  const store = createPriceStore(deps.db)
  const priceRegistry = await createPriceRegistry({ ...deps, store, shipped: shippedPrices })
  const shipped = shippedPrices.entries
  const prices = createPrices({
    ...{ ...deps, store, shipped },
    registry: priceRegistry,
    findConnection: (id) => deps.registry.byId(id)?.config,
  })
  const endpointPrices = createEndpointPrices({ ...deps, priceRegistry })
  const parts = { prices, priceRegistry, endpointPrices }
  return {
    ...parts,
    pricedModels: createPricedModels({ ...deps, ...parts, shippedDate: shippedPrices.date }),
    priceTransfer: createPriceTransfer({ ...deps, prices }),
    requestCost: createRequestCost(priceRegistry),
  }
}

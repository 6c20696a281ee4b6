import { prefixedModelId } from "../connections/connection-registry.ts"
import { hasPrice } from "./cost.ts"
import type { PricedConnection, PriceQuery } from "./price-index.ts"
import type { PriceView } from "./schema.ts"

/** A connection in use. */
export interface PrefixedConnection extends PricedConnection {
  id_prefix: string | null
}

interface Lookup {
  model: string
  /** Epoch seconds. */
  at: number
  /** Only entries that are limited to no provider and no connection. */
  general: boolean
  provider?: string | undefined
}

/** How far an entry comes behind the others; the more specific ones of a provider come first. */
const rankOf = ({ origin, provider }: PriceView, { provider: wanted }: Lookup): number =>
  (origin === "custom" ? 0 : 2) + (wanted !== undefined && provider === undefined ? 1 : 0)

/**
 * What everyone pays, or the connections of a provider: entries of single connections do not count.
 * @param views the latest first, those of administrators and general ones before others
 * @returns the entry that sets the price; without one, an entry that states facts
 */
export const findCurrent = (views: readonly PriceView[], lookup: Lookup): PriceView | undefined => {
  const { model, at, general, provider: wanted } = lookup
  const found = views
    .filter(({ model: name, from, connection }) => {
      return name === model && from <= at && connection === undefined
    })
    .filter(({ provider }) => !(general && provider !== undefined))
    .filter(({ provider }) => !(wanted && provider !== undefined && provider !== wanted))
    .toSorted((a, b) => rankOf(a, lookup) - rankOf(b, lookup))
  return found.find(hasPrice) ?? found[0]
}

/**
 * How the price of an endpoint is looked up.
 * @param upstreamModel the connection's own name of the model
 * @param at epoch seconds
 */
export const endpointQuery = (
  connection: PrefixedConnection,
  upstreamModel: string,
  at: number,
): PriceQuery => {
  const endpointId = prefixedModelId(connection, upstreamModel)
  return { endpointId, upstreamModel, connection, at }
}

/**
 * How requests to a connection name a model.
 * @param model its id in the gateway, or the connection's own name
 */
export const queryOn = (
  connection: PrefixedConnection,
  { model, at }: Pick<Lookup, "model" | "at">,
): PriceQuery => {
  const prefix = prefixedModelId(connection, "")
  const upstreamModel = model.startsWith(prefix) ? model.slice(prefix.length) : model
  return endpointQuery(connection, upstreamModel, at)
}

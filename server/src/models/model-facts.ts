import type { Endpoint } from "../connections/connection-registry.ts"
import type { EndpointPrices } from "../prices/endpoint-prices.ts"
import type { PriceEntry } from "../prices/schema.ts"
import { ModelPrice, type ModelRecord } from "./schema.ts"

const factNames = ["context_length", "max_output", "end_of_life", "successor", "price"] as const

/** What is known of a model besides what its provider reports; the rest is left out. */
export type RecordedFacts = Pick<ModelRecord, (typeof factNames)[number]>

type KnownFacts = { [Name in keyof RecordedFacts]: RecordedFacts[Name] | undefined }

export const pickFacts = (source: KnownFacts): RecordedFacts =>
  Object.fromEntries(
    factNames.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])),
  )

/** Without the names that are left out of the entry. */
const toModelPrice = (entry: PriceEntry): ModelPrice =>
  Object.fromEntries(
    ModelPrice.keyof().options.flatMap((name) =>
      entry[name] === undefined ? [] : [[name, entry[name]]],
    ),
  )

/** The facts and the price of a model on one connection. */
export const factsOfEndpoint = (endpoint: Endpoint, prices: EndpointPrices): RecordedFacts => {
  const price = prices.priceOf(endpoint.connection, endpoint.model.name)
  const { max_output, end_of_life, successor } = prices.factsOf(endpoint)
  return pickFacts({
    ...{ max_output, end_of_life, successor },
    context_length: prices.contextLengthOf(endpoint) ?? undefined,
    price: price && toModelPrice(price),
  })
}

import type { AttemptTarget } from "../../connections/attempt-target.ts"
import { type Endpoint, prefixedModelId } from "../../connections/connection-registry.ts"
import type { PriceIndex, PriceQuery } from "../../prices/price-index.ts"
import type { PriceEntry } from "../../prices/schema.ts"

/** For clients that state no limit: a longer answer needs one, so that it does not block others. */
const maxDefaultOutput = 16_384
/** Of models of which little is known; many servers reject more than the context leaves. */
const unknownMaxOutput = 4096

type PricedTarget = Pick<AttemptTarget, "connection" | "model">

export interface ModelPrices {
  /** Undefined if the price is unknown. */
  priceOf(target: PricedTarget): PriceEntry | undefined
  /** What to ask for if the client states no limit, so that all of these models accept it. */
  defaultOutputOf(endpoints: readonly Endpoint[]): number
}

interface Deps {
  priceIndex: PriceIndex
  /** Epoch seconds. */
  now: () => number
}

export const createModelPrices = ({ priceIndex, now }: Deps): ModelPrices => {
  const queryOf = ({ config }: Endpoint["connection"], model: string): PriceQuery => ({
    endpointId: prefixedModelId(config, model),
    upstreamModel: model,
    connection: config,
    at: now(),
  })

  const maxOutputOf = ({ connection, model }: Endpoint): number => {
    const facts = priceIndex.findFacts(queryOf(connection, model.name))
    if (facts.max_output !== undefined) return facts.max_output
    const context = facts.context_length ?? model.context_length
    return context === null ? unknownMaxOutput : Math.min(unknownMaxOutput, Math.ceil(context / 2))
  }

  return {
    priceOf: ({ connection, model }) =>
      model === null ? undefined : priceIndex.findPrice(queryOf(connection, model)),
    defaultOutputOf: (endpoints) => Math.min(maxDefaultOutput, ...endpoints.map(maxOutputOf)),
  }
}

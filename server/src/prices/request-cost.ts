import type { ChargedRequest, RequestCost } from "../usage/charged-request.ts"
import { calculateCost } from "./cost.ts"
import type { PriceIndex } from "./price-index.ts"
import { endpointQuery } from "./price-lookup.ts"

/** Providers do not charge for requests that they reject or fail to answer. */
const isFree = ({ outcome, tokens }: ChargedRequest): boolean =>
  (outcome === "upstream_error" || outcome === "refused_request") &&
  tokens.tokens_in + tokens.tokens_out === 0

/**
 * Computes what requests cost, by the price of the model that answered. A function costs nothing:
 * its own requests to models are charged by themselves.
 */
export const createRequestCost =
  ({ findPrice }: Pick<PriceIndex, "findPrice">): RequestCost =>
  (request) => {
    const { connection, upstreamModel, serviceTier, tokens, durationMs, at } = request
    if (connection === null || upstreamModel === null || isFree(request)) return 0
    const price = findPrice(endpointQuery(connection, upstreamModel, at))
    return price ? calculateCost(price, { tokens, serviceTier, durationMs }) : null
  }

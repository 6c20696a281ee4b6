import type { Endpoint } from "../../connections/connection-registry.ts"
import type { EndpointPrices } from "../../prices/endpoint-prices.ts"

/** For clients that state no limit: a longer answer needs one, so that it does not block others. */
const maxDefaultOutput = 16_384
/** Of models of which little is known; many servers reject more than the context leaves. */
const unknownMaxOutput = 4096

type Facts = Pick<EndpointPrices, "factsOf" | "contextLengthOf">

const maxOutputOf = (endpoint: Endpoint, facts: Facts): number => {
  const { max_output } = facts.factsOf(endpoint)
  if (max_output !== undefined) return max_output
  const context = facts.contextLengthOf(endpoint)
  return context === null ? unknownMaxOutput : Math.min(unknownMaxOutput, Math.ceil(context / 2))
}

/** What to ask for if the client states no limit, so that all of these models accept it. */
export const defaultOutputOf = (endpoints: readonly Endpoint[], facts: Facts): number =>
  Math.min(maxDefaultOutput, ...endpoints.map((endpoint) => maxOutputOf(endpoint, facts)))

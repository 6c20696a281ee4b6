import type { Endpoint } from "./connection-registry.ts"

const isResting = ({ upstream, model }: Endpoint): boolean =>
  upstream.isResting() || upstream.isPaused(model.name)

const compareEndpoints = (a: Endpoint, b: Endpoint): number =>
  Number(isResting(a)) - Number(isResting(b)) ||
  Number(b.upstream.isLoaded(b.model.name)) - Number(a.upstream.isLoaded(a.model.name)) ||
  a.upstream.inFlight - b.upstream.inFlight

/**
 * The order in which endpoints of a model are tried: healthy ones first, then those with the model
 * in memory, then the least busy, then in configured order.
 */
export const orderEndpoints = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.length < 2 ? endpoints : [...endpoints].sort(compareEndpoints)

import type { Endpoint } from "./connection-registry.ts"

const isResting = ({ connection, model }: Endpoint): boolean =>
  connection.isResting() || connection.isPaused(model.name)

const compareEndpoints = (a: Endpoint, b: Endpoint): number =>
  Number(isResting(a)) - Number(isResting(b)) ||
  Number(b.connection.isLoaded(b.model.name)) - Number(a.connection.isLoaded(a.model.name)) ||
  a.connection.inFlight - b.connection.inFlight

/**
 * The order in which endpoints of a model are tried: healthy ones first, then those with the model
 * in memory, then the least busy, then in configured order.
 */
export const orderEndpoints = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.length < 2 ? endpoints : [...endpoints].sort(compareEndpoints)

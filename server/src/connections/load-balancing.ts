import type { Offer } from "./registry.ts"

const better = (a: Offer, b: Offer): number =>
  Number(a.upstream.resting()) - Number(b.upstream.resting()) ||
  Number(b.upstream.loaded(b.model.name)) - Number(a.upstream.loaded(a.model.name)) ||
  a.upstream.running - b.upstream.running

/**
 * The order in which endpoints of a model are tried: healthy ones first, then those with the model
 * in memory, then the least busy, then in configured order.
 */
export const inOrderOfChoice = (offers: readonly Offer[]): readonly Offer[] =>
  offers.length < 2 ? offers : [...offers].sort(better)

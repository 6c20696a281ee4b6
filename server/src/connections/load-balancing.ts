import type { Offer } from "./registry.ts"

const better = (a: Offer, b: Offer): number =>
  Number(a.upstream.resting()) - Number(b.upstream.resting()) ||
  Number(b.upstream.loaded(b.model.name)) - Number(a.upstream.loaded(a.model.name)) ||
  a.upstream.running - b.upstream.running

/**
 * The order in which connections that offer the same model are tried: those that rest last, then
 * who holds the model in memory, then the least busy, then as configured.
 */
export const inOrderOfChoice = (offers: readonly Offer[]): readonly Offer[] =>
  offers.length < 2 ? offers : [...offers].sort(better)

import { calculateLargeCost, calculateLargeMaxCost } from "./large-cost.ts"
import { calculatePlainCost, calculatePlainMaxCost } from "./plain-cost.ts"
import { unitPriceNames } from "./price-schema.ts"
import type { PricedUsage, UsageBounds } from "./priced-usage.ts"
import type { PriceEntry } from "./schema.ts"

/** Cost of a request in nano-dollars, computed exactly and then rounded up; at most 100,000 dollars. */
export const calculateCost = (entry: PriceEntry, usage: PricedUsage): number =>
  calculatePlainCost(entry, usage) ?? calculateLargeCost(entry, usage)

/**
 * The most that a request within these bounds can cost, in nano-dollars: as if all of its tokens
 * were of the most expensive kind, in the most expensive context tier that it can reach.
 */
export const calculateMaxCost = (entry: PriceEntry, bounds: UsageBounds): number =>
  calculatePlainMaxCost(entry, bounds) ?? calculateLargeMaxCost(entry, bounds)

/** Whether an entry sets a price, if only 0; otherwise it only states facts. */
export const hasPrice = (entry: PriceEntry): boolean =>
  entry.input !== undefined || unitPriceNames.some((name) => entry[name] !== undefined)

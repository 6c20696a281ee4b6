import type { PriceEntry } from "../schema.ts"
import table from "./prices.json" with { type: "json" }

/** Tests validate it: that takes as long as a good part of the start. */
const { date, entries } = table as { date: string; entries: PriceEntry[] }

/** List prices and facts that the providers publish; `npm run prices:update` rebuilds them. */
export const shippedPrices: readonly PriceEntry[] = entries

/** The day on which the table was rebuilt, such as `2026-01-31`. */
export const shippedPricesDate: string = date

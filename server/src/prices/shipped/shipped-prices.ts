import { z } from "zod"
import { PriceEntry } from "../schema.ts"
import table from "./prices.json" with { type: "json" }

const PriceTable = z.strictObject({ date: z.iso.date(), entries: z.array(PriceEntry) })

const { date, entries } = PriceTable.parse(table)

/** List prices and facts that the providers publish; `npm run prices:update` rebuilds them. */
export const shippedPrices: readonly PriceEntry[] = entries

/** The day on which the table was rebuilt, such as `2026-01-31`. */
export const shippedPricesDate: string = date

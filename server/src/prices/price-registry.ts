import type { Bus } from "../bus/bus.ts"
import { loadSnapshot } from "../bus/snapshot.ts"
import { createPriceIndex, type PriceIndex } from "./price-index.ts"
import type { PriceEntry, PriceView } from "./schema.ts"
import type { PriceStore } from "./store.ts"

/** The prices and facts that come with the gateway. */
export interface ShippedPrices {
  entries: readonly PriceEntry[]
  /** The day on which they were compiled, such as `2026-01-31`. */
  date: string
  /** The provider to which a host belongs; null if it is none of those known. */
  providerOfHost: (host: string) => string | null
}

interface Deps {
  store: Pick<PriceStore, "list">
  bus: Bus
  shipped: ShippedPrices
}

/** All prices in memory, reloaded when one changes on any node. */
export interface PriceRegistry extends PriceIndex {
  /** The administrators' entries, by model, provider, connection and time. */
  custom(): readonly PriceEntry[]
  /** Adds where an entry comes from. */
  toView(entry: PriceEntry): PriceView
  reload(): Promise<void>
  /** Registers a callback for changes. */
  onChange(listener: () => void): void
}

export const createPriceRegistry = async (deps: Deps): Promise<PriceRegistry> => {
  const { store, bus, shipped } = deps
  const { entries, providerOfHost } = shipped
  const shippedEntries = new Set(entries)

  const { current, reload, onChange } = await loadSnapshot(bus, "prices", async () => {
    const custom = await store.list()
    return { custom, index: createPriceIndex({ custom, shipped: entries, providerOfHost }) }
  })

  return {
    custom: () => current().custom,
    toView: (entry) => ({ ...entry, origin: shippedEntries.has(entry) ? "shipped" : "custom" }),
    providerOf: (connection) => current().index.providerOf(connection),
    findPrice: (query) => current().index.findPrice(query),
    findFacts: (query) => current().index.findFacts(query),
    reload,
    onChange,
  }
}

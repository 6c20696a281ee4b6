import type { Actor } from "../http/caller.ts"
import { type ImportPlan, planImport, planUpdate } from "./import-plan.ts"
import { exportLiteLlm } from "./litellm-export.ts"
import { importLiteLlm } from "./litellm-import.ts"
import { formatPriceCsv, parsePriceCsv } from "./price-csv.ts"
import type { Prices } from "./prices.ts"
import {
  maxPreviewedEntries,
  type PriceExportQuery,
  type PriceImport,
  type PriceImportResult,
  type SkippedPrice,
} from "./request-schema.ts"
import type { NewPriceEntry, PriceEntry, PriceView } from "./schema.ts"

interface Deps {
  prices: Prices
  connectionNames: () => Promise<ReadonlyMap<string, string>>
  now: () => number
}

/** A file that a request downloads. */
interface PriceFile {
  name: string
  contentType: string
  text: string
}

/** A file that was read, but not compared with what is stored. */
interface ReadImport {
  plan: (existing: readonly PriceEntry[]) => ImportPlan
  skipped: SkippedPrice[]
}

const report = (
  { added, changed, unchanged }: ImportPlan,
  skipped: SkippedPrice[],
): PriceImportResult => ({ added: added.length, changed: changed.length, unchanged, skipped })

const withoutOrigin = ({ origin: _origin, ...entry }: PriceView): PriceEntry => entry

/** Imports and exports prices as JSON, as CSV, and in the format of LiteLLM's price file. */
export const createPriceTransfer = ({ prices, connectionNames, now }: Deps) => {
  /** Prices of another gateway may be those of connections that do not exist here. */
  const skipUnknownConnections = async (entries: readonly PriceEntry[]) => {
    const names = await connectionNames()
    const isKnown = ({ connection }: PriceEntry) =>
      connection === undefined || names.has(connection)
    const skipped: SkippedPrice[] = entries
      .filter((entry) => !isKnown(entry))
      .map(({ model, connection }) => ({ model, reason: `There is no connection "${connection}"` }))
    return { known: entries.filter(isKnown), skipped }
  }

  const readEntries = async (entries: readonly NewPriceEntry[]): Promise<ReadImport> => {
    const from = now()
    const complete = entries.map((entry): PriceEntry => ({ ...entry, from: entry.from ?? from }))
    const { known, skipped } = await skipUnknownConnections(complete)
    return { plan: (existing) => planImport(existing, known), skipped }
  }

  const readLiteLlm = async (file: Record<string, unknown>, from: number): Promise<ReadImport> => {
    const { entries, skipped } = await importLiteLlm(file)
    const complete = entries.map((entry): PriceEntry => ({ ...entry, from }))
    const shipped = prices.listShipped()
    return {
      plan: (existing) => planUpdate({ existing, shipped, incoming: complete, from }),
      skipped,
    }
  }

  /** @throws {Failure} `invalid` if a line of a CSV file cannot be read */
  const read = async (input: PriceImport): Promise<ReadImport> => {
    if (input.format === "json") return readEntries(input.prices)
    if (input.format === "csv") return readEntries(await parsePriceCsv(input.text))
    return readLiteLlm(input.prices, input.from ?? now())
  }

  return {
    /**
     * Adds and replaces entries, all or none. Without times of their own, only prices that differ
     * from the current ones get an entry.
     * @throws {Failure} `invalid` if a line of a CSV file cannot be read
     */
    importPrices: async (actor: Actor, input: PriceImport): Promise<PriceImportResult> => {
      const { plan, skipped } = await read(input)
      return report(await prices.importAll(actor, plan), skipped)
    },

    /** What `importPrices` would do now. @throws {Failure} as `importPrices` */
    preview: async (input: PriceImport): Promise<PriceImportResult> => {
      const { plan, skipped } = await read(input)
      const planned = plan(prices.listCustom())
      const added = planned.added.map((after) => ({ before: null, after }))
      const entries = [...planned.changed, ...added].slice(0, maxPreviewedEntries)
      return { ...report(planned, skipped), entries }
    },

    exportPrices: ({ format, origin }: PriceExportQuery): PriceFile => {
      const entries = prices.listAll(origin).map(withoutOrigin)
      if (format === "csv") {
        const text = formatPriceCsv(entries)
        return { name: "prices.csv", contentType: "text/csv; charset=utf-8", text }
      }
      const contentType = "application/json; charset=utf-8"
      if (format === "json") {
        return {
          name: "prices.json",
          contentType,
          text: JSON.stringify({ format, prices: entries }),
        }
      }
      const text = JSON.stringify(exportLiteLlm(entries, now()), null, 2)
      return { name: "model_prices_and_context_window.json", contentType, text }
    },
  }
}

export type PriceTransfer = ReturnType<typeof createPriceTransfer>

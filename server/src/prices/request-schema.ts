import { z } from "zod"
import { ListQuery } from "../http/pagination.ts"
import { NewPriceEntry, PriceOrigin } from "./schema.ts"

/** Entries of one import. */
export const maxImportedEntries = 10_000
export const maxImportBytes = 20_000_000

const Origins = z.enum([...PriceOrigin.options, "all"])

/** Any text: model ids may contain slashes and colons. */
export const ModelParams = z.object({ model: z.string().min(1).max(300) })

const Scope = z.object({
  provider: z.string().max(100).optional(),
  /** Id of a connection. */
  connection: z.string().max(200).optional(),
})

export const PriceListQuery = ListQuery.pick({ page: true, page_size: true, query: true }).extend({
  ...Scope.shape,
  /** A model's exact id; `query` is a part of it. */
  model: z.string().max(300).optional(),
  origin: Origins.default("all"),
})
export type PriceListQuery = z.output<typeof PriceListQuery>

const Seconds = z.coerce.number<string>().int().min(0)

export const PriceQueryParams = Scope.extend({
  /** Epoch seconds; defaults to the current time. */
  at: Seconds.optional(),
})
export type PriceQueryParams = z.output<typeof PriceQueryParams>

export const PriceDeletionQuery = Scope.extend({
  /** Deletes only the entry that begins then. */
  from: Seconds.optional(),
})
export type PriceDeletionQuery = z.output<typeof PriceDeletionQuery>

export const PriceExportQuery = z.object({
  format: z.enum(["json", "csv", "litellm"]).default("json"),
  origin: Origins.default("custom"),
})
export type PriceExportQuery = z.output<typeof PriceExportQuery>

const JsonImport = z
  .object({ format: z.literal("json"), prices: z.array(NewPriceEntry).max(maxImportedEntries) })
  .meta({ id: "PriceExport" })

export const PriceImport = z
  .discriminatedUnion("format", [
    JsonImport,
    z.object({ format: z.literal("csv"), text: z.string().max(maxImportBytes) }),
    z.object({
      format: z.literal("litellm"),
      /** The contents of `model_prices_and_context_window.json`. */
      prices: z
        .record(z.string(), z.unknown())
        .refine((prices) => Object.keys(prices).length <= maxImportedEntries, {
          error: `An import can have at most ${maxImportedEntries} models`,
        }),
      /** When the prices begin, in epoch seconds; defaults to the current time. */
      from: z.int().min(0).optional(),
    }),
  ])
  .meta({ id: "PriceImport" })
export type PriceImport = z.output<typeof PriceImport>

export const SkippedPrice = z.object({ model: z.string(), reason: z.string() })
export type SkippedPrice = z.output<typeof SkippedPrice>

export const PriceImportResult = z
  .object({
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    skipped: z.array(SkippedPrice),
  })
  .meta({ id: "PriceImportResult" })
export type PriceImportResult = z.output<typeof PriceImportResult>

import { z } from "zod"
import { ListQuery, Page } from "../http/pagination.ts"
import {
  From,
  ModelFacts,
  ModelName,
  NewPriceEntry,
  PriceEntry,
  PriceOrigin,
  PriceView,
} from "./schema.ts"

/** Entries of one import. */
export const maxImportedEntries = 10_000
export const maxImportBytes = 20_000_000

const Origins = z.enum([...PriceOrigin.options, "all"])

export const ModelParams = z.object({ model: ModelName })

const Flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true")

const Scope = z.object({
  /** Only entries that are limited to no provider and no connection. */
  general: Flag,
  provider: z.string().max(100).optional(),
  /** Id of a connection. */
  connection: z.string().max(200).optional(),
})

export type PriceScope = z.output<typeof Scope>

export const PriceListQuery = ListQuery.pick({ page: true, page_size: true, query: true }).extend({
  ...Scope.shape,
  /** A model's exact id; `query` is a part of it. */
  model: z.string().max(300).optional(),
  origin: Origins.default("all"),
})
export type PriceListQuery = z.output<typeof PriceListQuery>

/**
 * `offered`: models that connections offer, with the price of each; `unpriced`: those of them
 * without one; `custom`, `all`: models that have an entry, offered or not.
 */
const PricedModelView = z.enum(["offered", "unpriced", "custom", "all"])

export const PricedModelQuery = ListQuery.pick({ page: true, page_size: true, query: true }).extend(
  {
    view: PricedModelView.default("offered"),
    /** A model's exact id; `query` is a part of it. */
    model: z.string().max(300).optional(),
  },
)
export type PricedModelQuery = z.output<typeof PricedModelQuery>

export const PricedModel = z
  .object({
    /** The model's id in the gateway, or the name in the entry. */
    model: z.string(),
    /** The connections' own name of it; null if none offers it. */
    upstream_model: z.string().nullable(),
    provider: z.string().nullable(),
    /** Those that offer the model at this price, or those that the entry is limited to. */
    connections: z.array(z.object({ id: z.string(), name: z.string() })),
    /** What sets the price now; null if the price is unknown. */
    price: PriceView.nullable(),
    facts: ModelFacts,
  })
  .meta({ id: "PricedModel" })
export type PricedModel = z.output<typeof PricedModel>

export const PricedModelPage = Page(PricedModel).extend({
  /** The day on which the prices that come with the gateway were compiled. */
  shipped_date: z.iso.date(),
})
export type PricedModelPage = z.output<typeof PricedModelPage>

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
      from: From.optional(),
    }),
  ])
  .meta({ id: "PriceImport" })
export type PriceImport = z.output<typeof PriceImport>

export const PriceImportQuery = z.object({
  /** Changes nothing: the response says what the import would do. */
  preview: Flag,
})
export type PriceImportQuery = z.output<typeof PriceImportQuery>

export const SkippedPrice = z.object({ model: z.string(), reason: z.string() })
export type SkippedPrice = z.output<typeof SkippedPrice>

/** Those that a preview lists; it counts all. */
export const maxPreviewedEntries = 500

export const PriceImportResult = z
  .object({
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    skipped: z.array(SkippedPrice),
    /** Only in a preview: the first changes, then the first additions, whose `before` is null. */
    entries: z
      .array(z.object({ before: PriceEntry.nullable(), after: PriceEntry }))
      .max(maxPreviewedEntries)
      .optional(),
  })
  .meta({ id: "PriceImportResult" })
export type PriceImportResult = z.output<typeof PriceImportResult>

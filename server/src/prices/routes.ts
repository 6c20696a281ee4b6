import { Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import {
  ModelParams,
  maxImportBytes,
  PriceDeletionQuery,
  PricedModelPage,
  PricedModelQuery,
  PriceExportQuery,
  PriceImport,
  PriceImportQuery,
  PriceImportResult,
  PriceListQuery,
  PriceQueryParams,
} from "./request-schema.ts"
import { PriceChange, PriceView } from "./schema.ts"

const notFound = { description: "The model has no such price" }
const limitReached = { description: "The number of prices has reached its limit" }

/** Ids may contain slashes. */
const modelPath = "/api/v1/prices/:model{(?!(?:export|import|models)$).+}"

export const priceRoutes = {
  list: route("get", "/api/v1/prices", {
    access: "user",
    summary: "List prices and facts of models, including earlier and future ones",
    query: PriceListQuery,
    responses: { 200: json(Page(PriceView), "One page of prices, in the order of their models") },
  }),
  listModels: route("get", "/api/v1/prices/models", {
    access: "admin",
    summary: "List models with what sets their price now, or without a price",
    query: PricedModelQuery,
    responses: { 200: json(PricedModelPage, "One page of models, in the order of their ids") },
  }),
  exportAll: route("get", "/api/v1/prices/export", {
    access: "admin",
    summary: "Export prices in the formats of the import; by default, those of administrators",
    query: PriceExportQuery,
    responses: { 200: { description: "A file", contentType: "application/json" } },
  }),
  importAll: route("post", "/api/v1/prices/import", {
    access: "admin",
    grantsPrivileges: true,
    summary:
      "Import prices: adds or replaces all of them or none; `preview=true` only says what it would do",
    query: PriceImportQuery,
    body: PriceImport,
    bodyLimits: { maxBytes: maxImportBytes, maxValues: 1_000_000 },
    responses: {
      200: json(PriceImportResult, "What was imported, and what was skipped for which reason"),
      409: limitReached,
    },
  }),
  get: route("get", modelPath, {
    access: "user",
    summary:
      "Get the entry that sets a model's price, for everyone or on the given provider or connection",
    params: ModelParams,
    query: PriceQueryParams,
    responses: { 200: json(PriceView, "The price"), 404: notFound },
  }),
  put: route("put", modelPath, {
    access: "admin",
    grantsPrivileges: true,
    summary: "Set a model's price from a time on; it takes precedence over the shipped one",
    params: ModelParams,
    body: PriceChange,
    responses: { 200: json(PriceView, "The price"), 409: limitReached },
  }),
  remove: route("delete", modelPath, {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a model's prices, or only that of the given scope and time",
    params: ModelParams,
    query: PriceDeletionQuery,
    responses: { 200: success("The prices were deleted"), 404: notFound },
  }),
}

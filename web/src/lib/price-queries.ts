import { queryOptions } from "@tanstack/react-query"
import type { PriceView } from "../../../server/src/prices/schema.ts"
import { api } from "./api.ts"
import type { QueryFor } from "./api-types.ts"
import { pageQuery } from "./route-query.ts"

/** As the route declares it. */
export const modelPricePath = "/api/v1/prices/:model{(?!(?:export|import|models)$).+}"

/** Models with what sets their price now; for administrators. */
export const pricedModelsQuery = (query: QueryFor<"/api/v1/prices/models">) =>
  pageQuery(["prices", "models", query], "/api/v1/prices/models", { query })

/** All entries of these models, by model and scope, the latest first. */
export const priceEntriesQuery = (models: readonly string[]) =>
  queryOptions({
    queryKey: ["prices", "entries", models],
    queryFn: async ({ signal }) => {
      const entries: PriceView[] = []
      for (const model of models) {
        const query = { model, page_size: 200 }
        entries.push(...(await api.get("/api/v1/prices", { query, signal })).items)
      }
      return entries
    },
  })

import type { QueryFor } from "./api-types.ts"
import { pageQuery, routeQuery } from "./route-query.ts"

export const ratingsQuery = (query: QueryFor<"/api/v1/ratings">) =>
  pageQuery(["ratings", query], "/api/v1/ratings", { query })

export const ratingSummaryQuery = routeQuery(["ratings", "summary"], "/api/v1/ratings/summary")

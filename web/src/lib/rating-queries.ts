import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import { api } from "./api.ts"
import type { QueryFor } from "./api-types.ts"

export const ratingsQuery = (query: QueryFor<"/api/v1/ratings">) =>
  queryOptions({
    queryKey: ["ratings", query],
    queryFn: ({ signal }) => api.get("/api/v1/ratings", { query, signal }),
    placeholderData: keepPreviousData,
  })

export const ratingSummaryQuery = queryOptions({
  queryKey: ["ratings", "summary"],
  queryFn: ({ signal }) => api.get("/api/v1/ratings/summary", { signal }),
})

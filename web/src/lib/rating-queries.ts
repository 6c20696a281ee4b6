import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { ModelRatings, RatedAnswer } from "../../../server/src/conversations/rating-schema.ts"
import type { Page } from "../../../server/src/http/pagination.ts"
import { api, type QueryParams } from "./api.ts"

export const ratingsQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["ratings", query],
    queryFn: ({ signal }) => api.get<Page<RatedAnswer>>("/api/v1/ratings", { query, signal }),
    placeholderData: keepPreviousData,
  })

export const ratingSummaryQuery = queryOptions({
  queryKey: ["ratings", "summary"],
  queryFn: ({ signal }) => api.get<Page<ModelRatings>>("/api/v1/ratings/summary", { signal }),
})

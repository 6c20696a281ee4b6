import type { QueryFor } from "./api-types.ts"
import { pageQuery, routeQuery } from "./route-query.ts"

const refreshMs = 5000

/** One page of limits with what is used of them now. */
export const limitsQuery = (query: QueryFor<"/api/v1/limits">) => ({
  ...pageQuery(["limits", query], "/api/v1/limits", { query }),
  refetchInterval: refreshMs,
})

const maxOwnShown = 100

/** The limits on the user's requests. */
export const ownLimitsQuery = routeQuery(["limits", "own"], "/api/v1/limits/own", {
  query: { page_size: maxOwnShown },
})

import type { QueryFor } from "./api-types.ts"
import { pageQuery } from "./route-query.ts"

const refreshMs = 5000

/** One page of limits with what is used of them now. */
export const limitsQuery = (query: QueryFor<"/api/v1/limits">) => ({
  ...pageQuery(["limits", query], "/api/v1/limits", { query }),
  refetchInterval: refreshMs,
})

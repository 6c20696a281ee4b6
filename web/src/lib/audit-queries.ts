import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { api } from "./api.ts"
import type { QueryFor } from "./api-types.ts"
import { routeQuery } from "./route-query.ts"

const newestRefreshMs = 10_000
const hourSeconds = 3600

type AuditParams = QueryFor<"/api/v1/audit">

interface AuditFilters extends AuditParams {
  /** How many hours to look back; no limit if omitted. */
  hours?: string | undefined
}

const toQueryParams = ({ hours, ...filters }: AuditFilters): AuditParams => ({
  ...filters,
  from: Number(hours) > 0 ? Math.floor(Date.now() / 1000) - Number(hours) * hourSeconds : undefined,
})

const fetchAuditPage = (query: AuditParams, signal: AbortSignal) =>
  api.get("/api/v1/audit", { query, signal })

export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ["audit", filters],
    queryFn: ({ pageParam, signal }) =>
      fetchAuditPage({ ...toQueryParams(filters), cursor: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // New events arrive at the top, so the pages already shown do not refetch automatically.
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })

/** The latest event, to tell whether newer ones exist than those shown. */
export const newestAuditQuery = (filters: AuditFilters) =>
  queryOptions({
    queryKey: ["audit newest", filters],
    queryFn: ({ signal }) => fetchAuditPage({ ...toQueryParams(filters), page_size: 1 }, signal),
    refetchInterval: newestRefreshMs,
  })

export const auditEventQuery = (id: string) =>
  routeQuery(["audit event", id], "/api/v1/audit/:id", { params: { id } })

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { AuditEvent, AuditPage } from "../../../server/src/audit/schema.ts"
import { api, type Query } from "./api.ts"

const newestMs = 10_000
const hourSeconds = 3600

interface Filters extends Query {
  /** How many hours to look back; no limit if omitted. */
  hours?: string | undefined
}

const asked = ({ hours, ...filters }: Filters): Query => ({
  ...filters,
  from: Number(hours) > 0 ? Math.floor(Date.now() / 1000) - Number(hours) * hourSeconds : undefined,
})

const read = (query: Query, signal: AbortSignal): Promise<AuditPage> =>
  api.get<AuditPage>("/api/v1/audit", { query, signal })

export const auditQuery = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ["audit", filters],
    queryFn: ({ pageParam, signal }) => read({ ...asked(filters), cursor: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // New events arrive at the top, so the pages already shown do not refetch automatically.
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })

/** The latest event, to tell whether newer ones exist than those shown. */
export const newestAuditQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ["audit newest", filters],
    queryFn: ({ signal }) => read({ ...asked(filters), page_size: 1 }, signal),
    refetchInterval: newestMs,
  })

export const auditEventQuery = (id: string) =>
  queryOptions({
    queryKey: ["audit event", id],
    queryFn: ({ signal }) =>
      api.get<AuditEvent>(`/api/v1/audit/${encodeURIComponent(id)}`, { signal }),
  })

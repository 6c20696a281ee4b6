import { queryOptions } from "@tanstack/react-query"
import type { FunctionRecord, SourceProblem } from "../../../../server/src/functions/schema.ts"
import { api } from "../../lib/api.ts"
import { invalidateQueries, queryClient } from "../../lib/query-client.ts"
import { routeQuery } from "../../lib/route-query.ts"

const refreshMs = 5000

export const functionsQuery = queryOptions({
  queryKey: ["functions"],
  queryFn: async ({ signal }) => (await api.get("/api/v1/functions", { signal })).items,
})

export const functionQuery = (id: string) =>
  routeQuery(["functions", id], "/api/v1/functions/id/:id", { params: { id } })

/** Shows a function as it was saved; its models may have changed with it. */
export const showSavedFunction = async (saved: FunctionRecord): Promise<void> => {
  queryClient.setQueryData(functionQuery(saved.id).queryKey, saved)
  await invalidateQueries([["functions"], ["models"]])
}

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id, "versions"],
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/functions/id/:id/versions", { params: { id }, signal })).items,
  })

export const versionQuery = (id: string, version: number) => ({
  ...routeQuery(
    ["functions", id, "versions", version],
    "/api/v1/functions/id/:id/versions/:version",
    { params: { id, version: String(version) } },
  ),
  staleTime: Number.POSITIVE_INFINITY,
})

export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id, "runs"],
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/functions/id/:id/runs", { params: { id }, signal })).items,
    refetchInterval: refreshMs,
  })

export const valvesQuery = (id: string) =>
  routeQuery(["functions", id, "valves"], "/api/v1/functions/id/:id/valves", { params: { id } })

/** Checks a source with the parser that the gateway uses to strip types. */
export const checkSource = async (content: string): Promise<readonly SourceProblem[]> =>
  (await api.post("/api/v1/functions/check", { body: { content } })).problems

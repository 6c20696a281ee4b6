import { queryOptions } from "@tanstack/react-query"
import type { FunctionSummary, SourceProblem } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"

const refreshMs = 5000

export const functionsQuery = queryOptions({
  queryKey: ["functions"],
  queryFn: async ({ signal }) => (await api.get("/api/v1/functions", { signal })).items,
})

export const functionQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id],
    queryFn: ({ signal }) => api.get("/api/v1/functions/id/:id", { params: { id }, signal }),
  })

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id, "versions"],
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/functions/id/:id/versions", { params: { id }, signal })).items,
  })

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ["functions", id, "versions", version],
    queryFn: ({ signal }) =>
      api.get("/api/v1/functions/id/:id/versions/:version", {
        params: { id, version: String(version) },
        signal,
      }),
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
  queryOptions({
    queryKey: ["functions", id, "valves"],
    queryFn: ({ signal }) => api.get("/api/v1/functions/id/:id/valves", { params: { id }, signal }),
  })

/** Checks a source with the parser that the gateway uses to strip types. */
export const checkSource = async (content: string): Promise<readonly SourceProblem[]> =>
  (await api.post("/api/v1/functions/check", { body: { content } })).problems

/** A module that is both a model and a filter counts as a model. */
export const functionKind = ({ models, filter }: FunctionSummary): "model" | "filter" =>
  filter && models.length === 0 ? "filter" : "model"

export const descriptionOf = ({ meta, models }: FunctionSummary): string =>
  meta.description || (models[0]?.description ?? "")

/** The models that the function offers or filters. */
export const describeOffers = (one: FunctionSummary): string => {
  const { filter_models: filteredModels } = one
  if (functionKind(one) === "model")
    return one.models.map(({ id }) => id).join(", ") || t("label.none")
  if (filteredModels.includes("*")) return t("functions.around")
  if (filteredModels.length === 0) return t("functions.aroundNone")
  return t("functions.aroundSome", { count: filteredModels.length })
}

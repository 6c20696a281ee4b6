import { queryOptions } from "@tanstack/react-query"
import type { FunctionListItem, FunctionRun } from "../../../../server/src/functions/run-schema.ts"
import type {
  FunctionRecord,
  FunctionSummary,
  FunctionValves,
  FunctionVersion,
  FunctionVersionSource,
  SourceProblem,
} from "../../../../server/src/functions/schema.ts"
import type { Page } from "../../../../server/src/http/pagination.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"

const base = "/api/v1/functions"
const refreshMs = 5000

export const functionPath = (id: string, rest = ""): string =>
  `${base}/id/${encodeURIComponent(id)}${rest}`

export const functionsQuery = queryOptions({
  queryKey: ["functions"],
  queryFn: async ({ signal }) => (await api.get<Page<FunctionListItem>>(base, { signal })).items,
})

export const functionQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id],
    queryFn: ({ signal }) => api.get<FunctionRecord>(functionPath(id), { signal }),
  })

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id, "versions"],
    queryFn: async ({ signal }) =>
      (await api.get<Page<FunctionVersion>>(functionPath(id, "/versions"), { signal })).items,
  })

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ["functions", id, "versions", version],
    queryFn: ({ signal }) =>
      api.get<FunctionVersionSource>(functionPath(id, `/versions/${version}`), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id, "runs"],
    queryFn: async ({ signal }) =>
      (await api.get<Page<FunctionRun>>(functionPath(id, "/runs"), { signal })).items,
    refetchInterval: refreshMs,
  })

export const valvesQuery = (id: string) =>
  queryOptions({
    queryKey: ["functions", id, "valves"],
    queryFn: ({ signal }) => api.get<FunctionValves>(functionPath(id, "/valves"), { signal }),
  })

/** Checks a source with the parser that the gateway uses to strip types. */
export const checkSource = async (content: string): Promise<readonly SourceProblem[]> =>
  (await api.post<{ problems: SourceProblem[] }>(`${base}/check`, { content })).problems

/** A module that is both a model and a filter counts as a model. */
export const functionKind = ({ models, filter }: FunctionSummary): "model" | "filter" =>
  filter && models.length === 0 ? "filter" : "model"

export const descriptionOf = ({ meta, models }: FunctionSummary): string =>
  meta.description || (models[0]?.description ?? "")

/** The models that the function offers or filters. */
export const describeOffers = (one: FunctionSummary): string => {
  const { filter_models: filteredModels } = one
  if (functionKind(one) === "model")
    return one.models.map(({ id }) => id).join(", ") || t("functions.offersNone")
  if (filteredModels.includes("*")) return t("functions.around")
  if (filteredModels.length === 0) return t("functions.aroundNone")
  return t("functions.aroundSome", { count: filteredModels.length })
}

import { Failure } from "../../errors.ts"
import type { FilterChain, FilterChains } from "../../functions/filter-chain.ts"
import type { FunctionRegistry } from "../../functions/function-registry.ts"
import type { Caller } from "../../http/caller.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import type { UsageContext } from "../../usage/usage-recorder.ts"
import type { ModelRequest } from "./model-request.ts"
import { applyWorkspace } from "./upstream-request.ts"

interface Deps {
  functionRegistry: FunctionRegistry
  chains: FilterChains
}

interface FilterableRequest {
  caller: Caller
  request: ModelRequest
  usageContext: Pick<UsageContext, "requestId" | "reportCost">
  callingFunctions?: readonly string[] | undefined
}

/** Filters can be attached to the model itself and to every model that it is based on. */
const modelIdsOf = ({ id, workspace }: ResolvedModel): string[] => [
  id,
  ...workspace.map(({ base_model_id }) => base_model_id),
]

/** Starts the filters of a model for one request. @throws {Failure} if one cannot be started */
export type OpenFilters = (signal: AbortSignal) => Promise<FilterChain>

/** The request as the filters send it to the model. @throws {Failure} if a filter rejects it */
export const filterRequest = async (
  chain: FilterChain,
  request: ModelRequest,
  resolved: ResolvedModel,
): Promise<ModelRequest> => {
  // Filters see what the provider would get: with the workspace models' defaults applied.
  const fields = await chain.before(applyWorkspace(request, resolved.workspace).toFields())
  return request.with({ sourcePrompt: "" }).withFields(fields)
}

/** Finds the filters that are attached to a model. */
export const createModelFilters = ({ functionRegistry, chains }: Deps) => ({
  areAttachedTo: (resolved: ResolvedModel): boolean =>
    functionRegistry.filtersOf(modelIdsOf(resolved)).length > 0,

  /** Null if no filters are attached; the request is then sent unchanged. */
  attachedTo: (
    resolved: ResolvedModel,
    { caller, request, usageContext, callingFunctions = [] }: FilterableRequest,
  ): OpenFilters | null => {
    const { operation } = request
    // Requests made by a filter bypass that filter.
    const filters = functionRegistry
      .filtersOf(modelIdsOf(resolved))
      .filter(({ id }) => !callingFunctions.includes(id))
    if (filters.length === 0 || operation.skipsFilters) return null
    if (!operation.isChatCompletion) {
      const message = `Model "${resolved.id}" has filters, which only support chat completions.`
      throw new Failure("bad_request", message, { param: "model" })
    }
    const { requestId, reportCost } = usageContext
    const origin = { caller, requestId, reportCost, callingFunctions }
    return (signal) => chains(filters, origin, signal)
  },
})

export type ModelFilters = ReturnType<typeof createModelFilters>

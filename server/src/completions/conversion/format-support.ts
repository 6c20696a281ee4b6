import type { ResolvedModel } from "../../models/catalogue.ts"
import type { ModelRequest } from "../request/model-request.ts"

const changesPrompt = ({ workspace }: ResolvedModel): boolean =>
  workspace.some(
    ({ params, meta }) => Object.keys(params).length > 0 || Array.isArray(meta.knowledge),
  )

/** Whether the gateway itself has to read or change the prompt. */
export const mustReadPrompt = (
  { fields }: ModelRequest,
  resolved: ResolvedModel,
  hasFilters: boolean,
): boolean =>
  hasFilters || resolved.functionModel !== undefined || "files" in fields || changesPrompt(resolved)

/** Resolves when `formatSupportOf` is known. */
export const checkFormatSupport = async (
  { operation }: ModelRequest,
  { endpoints }: ResolvedModel,
): Promise<void> => {
  await Promise.all(endpoints.map(({ connection }) => connection.checkOperation(operation)))
}

/** How many endpoints of a model accept a request as it is. */
export const formatSupportOf = (
  { operation }: ModelRequest,
  { endpoints }: ResolvedModel,
): "all" | "some" | "none" => {
  const supporting = endpoints.filter(({ connection }) => connection.hasOperation(operation))
  if (supporting.length === endpoints.length) return "all"
  return supporting.length > 0 ? "some" : "none"
}

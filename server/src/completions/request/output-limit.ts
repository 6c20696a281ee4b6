import { findKey, outputKeysOf, readMaxTokens } from "../../limits/admission/output-members.ts"
import type { WorkspaceModel } from "../../models/schema.ts"
import { outputFieldOf } from "../../providers/openai-parameters.ts"
import type { ProviderOperation } from "../../providers/provider.ts"
import type { ModelRequest } from "./model-request.ts"

/** What a request is sent to. */
export interface UpstreamModel {
  /** The connection's name for the model. */
  name: string
  /** The only member by which the provider limits chat completions; undefined if it knows all. */
  outputField?: string | undefined
}

/**
 * A member as it is sent, whatever the case of its name: the caller's own, even null, else the
 * parameter of the workspace model closest to the caller.
 */
const memberOf = (
  { fields, operation }: ModelRequest,
  workspace: readonly WorkspaceModel[],
  name: string,
): { key: string; value: unknown } | null => {
  const key = findKey(fields, name)
  if (key !== undefined) return { key, value: fields[key] }
  if (!operation.isChatCompletion) return null
  const model = workspace.find(({ params }) => (params[name] ?? null) !== null)
  return model ? { key: name, value: model.params[name] } : null
}

/** Reads members of a request by their names. */
export const memberReader =
  (request: ModelRequest, workspace: readonly WorkspaceModel[]) =>
  (name: string): unknown =>
    memberOf(request, workspace, name)?.value

/** The tokens that an answer may have; null if the request may be understood to set no limit. */
export const maxTokensOf = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
): number | null => readMaxTokens(request.operation.outputFields, memberReader(request, workspace))

const onlyFieldOf = (
  { isChatCompletion }: ProviderOperation,
  { outputField }: UpstreamModel,
): string | undefined => (isChatCompletion ? outputField : undefined)

/** What limits the answer, in the members that the provider knows, if the request alone does not. */
export const outputMembers = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstream: UpstreamModel,
): (readonly [key: string, limit: number])[] => {
  const { operation, outputLimit } = request
  const onlyField = onlyFieldOf(operation, upstream)
  if (outputLimit === null && onlyField === undefined) return []
  const limit = outputLimit ?? maxTokensOf(request, workspace)
  if (limit === null) return []
  const find = (name: string) => memberOf(request, workspace, name)
  if (outputLimit === null && onlyField !== undefined && (find(onlyField)?.value ?? null) !== null)
    return []
  const options = {
    field: onlyField ?? outputFieldOf(operation.outputFields, upstream.name),
    isOnly: onlyField !== undefined,
  }
  const keys = outputKeysOf(operation.outputFields, find, options)
  return keys.map((key) => [key, limit])
}

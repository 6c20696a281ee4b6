import {
  type RequestSize,
  toChoices,
  toMaxTokens,
  toMaxTokensIn,
} from "../../limits/admission/request-size.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import type { WorkspaceModel } from "../../models/schema.ts"
import type { ModelRequest } from "./model-request.ts"
import { serviceTierOf } from "./upstream-request.ts"

/** Ids by which a model is limited: its own, and those of what it is based on. */
export const limitedModelIds = ({
  id,
  workspace,
  endpoints,
}: Pick<ResolvedModel, "id" | "workspace" | "endpoints">): string[] => [
  ...new Set([
    id,
    ...workspace.map(({ base_model_id }) => base_model_id),
    ...endpoints.map((endpoint) => endpoint.id),
  ]),
]

/** What the workspace models add to the body: their prompts and parameters. */
const addedBytes = (request: ModelRequest, workspace: readonly WorkspaceModel[]): number => {
  const added = Buffer.byteLength(request.sourcePrompt)
  if (!request.operation.isChatCompletion) return added
  return workspace.reduce(
    (sum, { params }) => sum + Buffer.byteLength(JSON.stringify(params)),
    added,
  )
}

/** The caller's own take precedence, then the model closest to it. */
const parameterOf = (
  { fields, operation }: ModelRequest,
  workspace: readonly WorkspaceModel[],
  name: string,
): unknown => {
  const own = fields[name] ?? null
  if (own !== null || !operation.isChatCompletion) return own
  return workspace.find(({ params }) => (params[name] ?? null) !== null)?.params[name]
}

/** How much of a model's limits a request may take. */
export const measureRequest = (
  request: ModelRequest,
  { workspace }: Pick<ResolvedModel, "workspace">,
): RequestSize => {
  const { outputFields } = request.operation
  const outputs = outputFields
    .map((name) => toMaxTokens(parameterOf(request, workspace, name)))
    .filter((value) => value !== null)
  const choices = ["n", "best_of"].map((name) => toChoices(parameterOf(request, workspace, name)))
  const messages = request.countElements("messages") + request.countElements("input")
  return {
    maxTokensIn: toMaxTokensIn({
      bytes: request.maxBytes + addedBytes(request, workspace),
      messages: messages + 1,
    }),
    maxTokensOut: hasOutput(request) ? maxOf(outputs) : 0,
    choices: Math.max(...choices),
    serviceTier: serviceTierOf(request, workspace),
  }
}

const hasOutput = ({ operation }: ModelRequest): boolean => operation.outputFields.length > 0

const maxOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values)

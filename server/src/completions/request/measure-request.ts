import { findKey } from "../../limits/admission/output-members.ts"
import {
  type RequestSize,
  readChoices,
  toMaxTokensIn,
} from "../../limits/admission/request-size.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import type { WorkspaceModel } from "../../models/schema.ts"
import type { ModelRequest } from "./model-request.ts"
import { maxTokensOf, memberReader } from "./output-limit.ts"
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

/** How much of a model's limits a request may take. */
export const measureRequest = (
  request: ModelRequest,
  { workspace }: Pick<ResolvedModel, "workspace">,
): RequestSize => {
  const { outputFields } = request.operation
  const messages = request.countElements("messages") + request.countElements("input")
  const prompts = request.countPrompts(findKey(request.fields, "prompt") ?? "prompt")
  return {
    maxTokensIn: toMaxTokensIn({
      bytes: request.maxBytes + addedBytes(request, workspace),
      messages: messages + 1,
    }),
    maxTokensOut: outputFields.length > 0 ? maxTokensOf(request, workspace) : 0,
    choices: prompts * readChoices(memberReader(request, workspace)),
    serviceTier: serviceTierOf(request, workspace),
  }
}

/** A request may be sent in either of two formats, of which one lacks some of the other's members. */
export const measureEither = (one: RequestSize, other: RequestSize): RequestSize => ({
  maxTokensIn: Math.max(one.maxTokensIn, other.maxTokensIn),
  maxTokensOut:
    one.maxTokensOut === null || other.maxTokensOut === null
      ? null
      : Math.max(one.maxTokensOut, other.maxTokensOut),
  choices: Math.max(one.choices, other.choices),
  serviceTier: one.serviceTier ?? other.serviceTier,
})

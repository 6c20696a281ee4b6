import { z } from "zod"
import { AnthropicErrorBody, OpenAIErrorBody } from "../http/error-bodies.ts"
import { errorResponse, toFailure } from "../http/failure-response.ts"
import type { RequestContext } from "../http/request-context.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { createAnthropicModels } from "./anthropic-models.ts"
import { AnthropicModelInfo, AnthropicModelList } from "./anthropic-schema.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { toCodexModels } from "./codex-models.ts"
import { ModelList, ModelRecord } from "./schema.ts"

/** All optional and unparsed: each client sends its own, and others' must not fail a request. */
const ListParameters = z.object({
  client_version: z.string().optional().describe("Sent by Codex: adds `models` to the list"),
  limit: z.string().optional().describe("Anthropic's format: from 1 to 1000, 20 by default"),
  after_id: z.string().optional().describe("Anthropic's format: the page after this model"),
  before_id: z.string().optional().describe("Anthropic's format: the page before this model"),
})

const ErrorBody = z.union([OpenAIErrorBody, AnthropicErrorBody])

const usesAnthropicFormat = ({ incoming }: RequestContext): boolean =>
  incoming.headers["anthropic-version"] !== undefined

/** Calls `respond`, and reports a failure in Anthropic's format, which these routes do not have. */
const respondInAnthropicFormat = <T>(context: RequestContext, respond: () => T): T | Response => {
  try {
    return respond()
  } catch (error) {
    const failure = toFailure(error)
    context.failure = failure
    return errorResponse("anthropic", failure)
  }
}

interface Deps {
  router: Router
  catalogue: ModelCatalogue
  settings: SettingsStore
}

/**
 * `GET /models` and `GET /models/{id}`, as in the OpenAI API, or as in Anthropic's for requests
 * with the header `anthropic-version`.
 */
export const createModelListRouter = ({ router, catalogue, settings }: Deps): Router => {
  const anthropicModels = createAnthropicModels({ catalogue, settings })
  router.on(
    route("get", "/models", {
      access: "user",
      isAliased: true,
      acceptsServiceKeys: true,
      summary: "List the models that you can use; long descriptions are truncated",
      query: ListParameters,
      responses: {
        200: json(
          z.union([ModelList, AnthropicModelList]),
          "The models, including the last known ones of unreachable connections",
        ),
        400: json(AnthropicErrorBody, "An invalid page of Anthropic's format"),
      },
    }),
    ({ caller, query, context }) => {
      if (usesAnthropicFormat(context)) {
        return respondInAnthropicFormat(context, () => anthropicModels.list(caller, query))
      }
      const data = catalogue.list(caller)
      const isCodex = query.client_version !== undefined
      return { object: "list" as const, data, ...(isCodex && { models: toCodexModels(data) }) }
    },
  )
  router.on(
    route("get", "/models/:id{.+}", {
      access: "user",
      isAliased: true,
      acceptsServiceKeys: true,
      summary: "Get a model",
      params: z.object({ id: z.string() }),
      responses: {
        200: json(z.union([ModelRecord, AnthropicModelInfo]), "The model"),
        403: json(ErrorBody, "An API key that is not allowed to use the model"),
        404: json(ErrorBody, "Model not found"),
      },
    }),
    ({ caller, params, context }) =>
      usesAnthropicFormat(context)
        ? respondInAnthropicFormat(context, () => anthropicModels.get(caller, params.id))
        : catalogue.get(caller, params.id),
  )
  return router
}

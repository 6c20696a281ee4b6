import type { JsonBody } from "../http/body-buffer.ts"
import { AnthropicErrorBody, OpenAIErrorBody } from "../http/error-bodies.ts"
import { jsonLimitsFor } from "../http/json-object.ts"
import { json, type Responses, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { describeLimitHeaders } from "../limits/admission/limit-headers.ts"
import type { Completions } from "./completions.ts"
import type { ApiOperation } from "./operations/operation.ts"
import { apiOperations } from "./operations/registry.ts"
import { parseModelRequest } from "./request/model-request.ts"

type ApiName = ApiOperation["api"]

const errorBodies = { openai: OpenAIErrorBody, anthropic: AnthropicErrorBody }

const invalidRequest: Record<ApiName, string> = {
  openai: "Invalid request; see `param` for the field",
  anthropic: "Invalid request, or the model does not support a part of it",
}

const limitReached =
  "A limit is reached: `rate_limit_exceeded` if waiting helps, `insufficient_quota` if nothing is left in the present period"

/** What limits leave, and when to send the request again. */
const limitHeaders = (api: ApiName): Record<string, string> => ({
  "retry-after": "Seconds after which the request can pass; missing if it never can",
  "x-should-retry": "`false` with `insufficient_quota`, so that SDKs do not repeat the request",
  ...describeLimitHeaders(api),
})

const errorResponses = (api: ApiName): Responses => {
  const body = errorBodies[api]
  return {
    400: json(body, invalidRequest[api]),
    404: json(body, "The model does not exist or you do not have access to it"),
    413: json(body, "The request body is too large"),
    429: { ...json(body, limitReached), headers: limitHeaders(api) },
    502: json(body, "The provider failed"),
    504: json(body, "The provider timed out"),
  }
}

interface Deps {
  router: Router
  /** Whose operations are routed. */
  api: ApiName
  completions: Completions
  /** In bytes. */
  bodyLimit: number
}

/** The routes of an inbound API; each is relayed to a connection that offers the model. */
export const createCompletionRouter = ({ router, api, completions, bodyLimit }: Deps): Router => {
  const limits = jsonLimitsFor(bodyLimit)
  const errors = errorResponses(api)
  for (const operation of apiOperations.filter((one) => one.api === api)) {
    const { name, summary, body, response } = operation
    router.fastPath(
      route("post", `/${name}`, {
        access: "user",
        grantsPrivileges: false,
        isAliased: true,
        acceptsServiceKeys: true,
        summary,
        body,
        responses: { ...errors, 200: json(response.schema, response.description) },
      }),
      ({ caller, context, read }) => {
        const answer = (received: JsonBody): Promise<void> =>
          completions.complete(context, caller, parseModelRequest(operation, received))
        const received = read(limits)
        return received instanceof Promise ? received.then(answer) : answer(received)
      },
    )
  }
  return router
}

import type { JsonBody } from "../http/body-buffer.ts"
import { OpenAIErrorBody } from "../http/error-bodies.ts"
import { jsonLimitsFor } from "../http/json-object.ts"
import { json, type RouteShape, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { openaiOperations } from "../providers/provider.ts"
import type { Completions } from "./completions.ts"
import { parseModelRequest } from "./request.ts"
import {
  ChatCompletionBody,
  EmbeddingsBody,
  ProviderResponse,
  ResponsesBody,
  TextCompletionBody,
} from "./schema.ts"

type OpenAIOperation = (typeof openaiOperations)[number]

const operations: Record<OpenAIOperation, { summary: string; body: RouteShape["body"] }> = {
  "chat/completions": { summary: "Create a chat completion", body: ChatCompletionBody },
  completions: { summary: "Create a text completion (legacy)", body: TextCompletionBody },
  embeddings: { summary: "Create embeddings", body: EmbeddingsBody },
  responses: {
    summary: "Create a response",
    body: ResponsesBody,
  },
  "responses/compact": {
    summary: "Replace a conversation by an item that contains its summary",
    body: ResponsesBody,
  },
}

interface Deps {
  router: Router
  completions: Completions
  /** In bytes. */
  bodyLimit: number
}

/** The OpenAI-style routes; each is relayed to a connection that offers the model. */
export const completionRoutes = ({ router, completions, bodyLimit }: Deps): Router => {
  const limits = jsonLimitsFor(bodyLimit)
  for (const [operation, { summary, body }] of Object.entries(operations)) {
    router.fastPath(
      route("post", `/${operation}`, {
        access: "user",
        grantsPrivileges: false,
        isAliased: true,
        summary,
        ...(body && { body }),
        responses: {
          200: json(ProviderResponse, "The provider's response"),
          400: json(OpenAIErrorBody, "Invalid request; see `param` for the field"),
          404: json(OpenAIErrorBody, "The model does not exist or you do not have access to it"),
          413: json(OpenAIErrorBody, "The request body is too large"),
          502: json(OpenAIErrorBody, "The provider failed"),
          504: json(OpenAIErrorBody, "The provider timed out"),
        },
      }),
      ({ caller, exchange, read }) => {
        const answer = (body: JsonBody): Promise<void> =>
          completions.complete(
            exchange,
            caller,
            parseModelRequest(operation as OpenAIOperation, body),
          )
        const body = read(limits)
        return body instanceof Promise ? body.then(answer) : answer(body)
      },
    )
  }
  return router
}

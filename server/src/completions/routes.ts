import type { JsonBody } from "../http/body-buffer.ts"
import { limitsFor } from "../http/json-object.ts"
import { json, type RouteShape, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Operation } from "../providers/provider.ts"
import type { Chat } from "./completions.ts"
import { readRequest } from "./request.ts"
import {
  ChatRequest,
  CompletionRequest,
  EmbeddingRequest,
  OpenAIError,
  Passed,
  ResponseRequest,
} from "./schema.ts"

const operations: Record<Operation, { summary: string; body: RouteShape["body"] }> = {
  "chat/completions": { summary: "Create a chat completion", body: ChatRequest },
  completions: { summary: "Create a text completion (legacy)", body: CompletionRequest },
  embeddings: { summary: "Create embeddings", body: EmbeddingRequest },
  responses: {
    summary: "Create a response, if the provider supports the Responses API",
    body: ResponseRequest,
  },
}

interface Deps {
  router: Router
  chat: Chat
  /** In bytes. */
  bodyLimit: number
}

/** The OpenAI-style routes; each is relayed to a connection that offers the model. */
export const chatRoutes = ({ router, chat, bodyLimit }: Deps): Router => {
  const limits = limitsFor(bodyLimit)
  for (const [operation, { summary, body }] of Object.entries(operations)) {
    const declared = route("user", {
      method: "post",
      path: `/${operation}`,
      givesAuthority: false,
      isAliased: true,
      summary,
      ...(body && { body }),
      responses: {
        200: json(Passed, "The provider's response"),
        400: json(OpenAIError, "Invalid request; see `param` for the field"),
        404: json(OpenAIError, "The model does not exist or you do not have access to it"),
        413: json(OpenAIError, "The request body is too large"),
        502: json(OpenAIError, "The provider failed"),
        504: json(OpenAIError, "The provider timed out"),
      },
    })
    router.hot(declared, ({ caller, exchange, read }) => {
      const answer = (body: JsonBody): Promise<void> =>
        chat.complete(exchange, caller, readRequest(operation as Operation, body))
      const body = read(limits)
      return body instanceof Promise ? body.then(answer) : answer(body)
    })
  }
  return router
}

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
  "chat/completions": { summary: "Chat, streamed or not", body: ChatRequest },
  completions: { summary: "Complete a text (legacy)", body: CompletionRequest },
  embeddings: { summary: "Embed texts", body: EmbeddingRequest },
  responses: { summary: "OpenAI's responses, where the provider has them", body: ResponseRequest },
}

interface Deps {
  router: Router
  chat: Chat
  /** Bytes. */
  bodyLimit: number
}

/** The OpenAI-style routes; each is passed through to a connection that has the model. */
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
        200: json(Passed, "The upstream's reply"),
        400: json(OpenAIError, "The request is wrong; `param` names the field"),
        404: json(OpenAIError, "Unknown model, or one that is not granted"),
        413: json(OpenAIError, "The body is too large"),
        502: json(OpenAIError, "The provider failed"),
        504: json(OpenAIError, "The provider did not answer in time"),
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

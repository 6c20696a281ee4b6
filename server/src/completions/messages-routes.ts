import type { JsonBody } from "../http/body-buffer.ts"
import { AnthropicErrorBody } from "../http/error-bodies.ts"
import { jsonLimitsFor } from "../http/json-object.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Completions } from "./completions.ts"
import { parseModelRequest } from "./request.ts"
import { MessagesBody, MessagesResponse, TokenCount } from "./schema.ts"

interface Deps {
  router: Router
  completions: Completions
  /** In bytes. */
  bodyLimit: number
}

const errors = {
  400: json(AnthropicErrorBody, "Invalid request, or the model does not support a part of it"),
  404: json(AnthropicErrorBody, "The model does not exist or you do not have access to it"),
  413: json(AnthropicErrorBody, "The request body is too large"),
  502: json(AnthropicErrorBody, "The provider failed"),
  504: json(AnthropicErrorBody, "The provider timed out"),
}

/** Anthropic's Messages API, for any model. */
export const messagesRoutes = ({ router, completions, bodyLimit }: Deps): Router => {
  const limits = jsonLimitsFor(bodyLimit)
  router.fastPath(
    route("post", "/messages", {
      access: "user",
      grantsPrivileges: false,
      isAliased: true,
      summary: "Create a message with any model (Anthropic's Messages API)",
      body: MessagesBody,
      responses: {
        200: json(MessagesResponse, "The message, or its events if streamed"),
        ...errors,
      },
    }),
    ({ caller, exchange, read }) => {
      const answer = (body: JsonBody): Promise<void> =>
        completions.complete(exchange, caller, parseModelRequest("messages", body))
      const body = read(limits)
      return body instanceof Promise ? body.then(answer) : answer(body)
    },
  )
  router.fastPath(
    route("post", "/messages/count_tokens", {
      access: "user",
      grantsPrivileges: false,
      isAliased: true,
      summary: "Count the input tokens of a message; an estimate unless the provider counts them",
      body: MessagesBody,
      responses: { 200: json(TokenCount, "The number of tokens"), ...errors },
    }),
    async ({ caller, exchange, read }) => {
      const body = await read(limits)
      await completions.countTokens(
        exchange,
        caller,
        parseModelRequest("messages/count_tokens", body),
      )
    },
  )
  return router
}

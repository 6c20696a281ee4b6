import { z } from "zod"
import { IdParams } from "../http/pagination.ts"
import { json, type RouteShape, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Answers } from "./answers.ts"
import type { ChangeEvents } from "./change-events.ts"
import type { Chats } from "./conversations.ts"
import { type ChatEventStream, parseEventId } from "./event-stream.ts"
import type { PromptService } from "./new-messages.ts"
import { MessagePage, MessagePageQuery, NewMessage, StartedAnswers } from "./schema.ts"
import { ChatPassages } from "./source-schema.ts"

const notFound = { description: "Chat not found, or you do not have access to it" }
const eventStream = (description: string): RouteShape["responses"][number] => ({
  description,
  contentType: "text/event-stream",
})

interface Deps {
  router: Router
  chats: Chats
  prompts: PromptService
  answers: Answers
  streamEvents: ChatEventStream
}

/** The routes for a chat's messages: send, stream, stop. */
export const chatMessageRoutes = ({
  router,
  chats,
  prompts,
  answers,
  streamEvents,
}: Deps): Router => {
  router.on("post", "/:id/messages", {
    access: "user",
    grantsPrivileges: false,
    summary: "Send a message or regenerate an answer; answers are generated in the background",
    params: IdParams,
    body: NewMessage,
    bodyLimits: { maxBytes: 50_000_000 },
    responses: {
      200: json(
        StartedAnswers,
        "The new messages; stream their progress with `events?after={seq}`",
      ),
      404: notFound,
      409: { description: "The message to be answered is still being written" },
    },
    handle: ({ caller, params, body, exchange }) =>
      prompts.send(caller, params.id, { input: body, requestId: exchange.requestId }),
  })
  router.on("post", "/:id/stop", {
    access: "user",
    grantsPrivileges: false,
    summary: "Stop one answer, or all answers of the chat",
    params: IdParams,
    body: z.object({ message_id: z.string().max(200).nullable().default(null) }),
    responses: { 200: success("The answers have stopped"), 404: notFound },
    handle: async ({ caller, params, body }) => {
      await chats.requireOwn(caller, params.id)
      await answers.stop(params.id, body.message_id)
    },
  })
  router.raw("get", "/:id/events", {
    access: "user",
    summary:
      "Stream a chat's events after `after`: `snapshot`, `messages`, `message`, `delta`, `deleted`",
    params: IdParams,
    responses: {
      200: eventStream("Numbered events, until the client disconnects"),
      404: notFound,
    },
    handle: async ({ caller, params, exchange }) => {
      const { headers, url = "" } = exchange.incoming
      const query = new URLSearchParams(url.split("?", 2)[1])
      // Pages send the event id in the URL; a reconnecting browser sends it in a header.
      const resume = parseEventId(String(headers["last-event-id"] ?? query.get("after") ?? ""))
      await streamEvents(exchange, caller, { id: params.id, resume })
    },
  })
  router.on("get", "/:id/messages", {
    access: "user",
    summary: "List a chat's messages, page by page, starting with the last page",
    params: IdParams,
    query: MessagePageQuery,
    responses: {
      200: json(MessagePage, "Oldest first; pass `earlier` as `before` to get the preceding page"),
      404: notFound,
    },
    handle: ({ caller, params, query }) => chats.messages(caller, params.id, query),
  })
  router.on("get", "/:id/messages/:message_id/passages", {
    access: "user",
    summary: "List the file passages that an answer was given, verbatim",
    params: IdParams.extend({ message_id: z.string().max(200) }),
    responses: {
      200: json(ChatPassages, "In the order of the message's `sources`"),
      404: notFound,
    },
    handle: ({ caller, params }) => chats.passages(caller, params.id, params.message_id),
  })
  router.on("get", "/:id/images/:image_id", {
    access: "user",
    summary: "Get an image of a chat",
    params: IdParams.extend({ image_id: z.string().max(200) }),
    responses: { 200: { description: "The image", contentType: "image/*" }, 404: notFound },
    handle: async ({ caller, params, exchange, countReplyBytes }) => {
      const { media_type, base64 } = await chats.image(caller, params.id, params.image_id)
      // An image never changes, but access to it may end.
      const etag = `"${params.image_id}"`
      const headers = {
        ...{ etag, "cache-control": "private, no-cache", "content-type": media_type },
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
      }
      if (exchange.incoming.headers["if-none-match"] === etag)
        return new Response(null, { status: 304, headers })
      const bytes = Buffer.from(base64, "base64")
      countReplyBytes(bytes.length)
      return new Response(bytes, { headers })
    },
  })
  return router
}

/** The stream of change events for signed-in pages. */
export const changeEventRoutes = (router: Router, changeEvents: ChangeEvents): Router => {
  router.raw("get", "/events", {
    access: "user",
    summary:
      "Stream change notifications: `chats`, `files`, `collections` (each with an id), `models`, `account`, `reset`",
    responses: { 200: eventStream("Events, until the client disconnects") },
    handle: async ({ caller, exchange }) => changeEvents(exchange, caller),
  })
  return router
}

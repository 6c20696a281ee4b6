import { z } from "zod"
import { ById, Done, done } from "../http/pagination.ts"
import { json, type RouteShape, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Answers } from "./answers.ts"
import type { News } from "./change-events.ts"
import type { Chats } from "./conversations.ts"
import { type Follow, parseEventId } from "./event-stream.ts"
import type { Prompts } from "./new-messages.ts"
import { MessagePage, MessagePageQuery, NewMessage, Started } from "./schema.ts"
import { Passages } from "./source-schema.ts"

const unknown = { description: "No such chat, or it is somebody else's" }
const events = (description: string): RouteShape["responses"][number] => ({
  description,
  contentType: "text/event-stream",
})

interface Deps {
  router: Router
  chats: Chats
  prompts: Prompts
  answers: Answers
  follow: Follow
}

/** What is said in a chat: ask, follow, stop. */
export const chatMessageRoutes = ({ router, chats, prompts, answers, follow }: Deps): Router => {
  router.on(
    route("user", {
      method: "post",
      path: "/:id/messages",
      givesAuthority: false,
      summary: "Say something, or ask again; the answer is written whether or not anybody looks",
      params: ById,
      body: NewMessage,
      bodyLimits: { maxBytes: 50_000_000 },
      responses: {
        200: json(Started, "The new messages; follow them with `events?after={seq}`"),
        404: unknown,
        409: { description: "What is asked about is still being written" },
      },
    }),
    ({ caller, params, body, exchange }) =>
      prompts.ask(caller, params.id, { input: body, requestId: exchange.requestId }),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/:id/stop",
      givesAuthority: false,
      summary: "Stop what is being written: one answer, or all of the chat",
      params: ById,
      body: z.object({ message_id: z.string().max(200).nullable().default(null) }),
      responses: { 200: json(Done, "It has stopped"), 404: unknown },
    }),
    async ({ caller, params, body }) => {
      await chats.own(caller, params.id)
      await answers.stop(params.id, body.message_id)
      return done
    },
  )
  router.raw(
    route("user", {
      method: "get",
      path: "/:id/events",
      summary:
        "A chat's events from `after` on: `snapshot`, `messages`, `message`, `delta`, `deleted`",
      params: ById,
      responses: { 200: events("Numbered events; goes on until the reader leaves"), 404: unknown },
    }),
    async ({ caller, params, exchange }) => {
      const { headers, url = "" } = exchange.incoming
      const query = new URLSearchParams(url.split("?", 2)[1])
      // A page names the event in the address; a browser that reconnects names it in a header.
      const resume = parseEventId(String(headers["last-event-id"] ?? query.get("after") ?? ""))
      await follow(exchange, caller, { id: params.id, resume })
    },
  )
  router.on(
    route("user", {
      method: "get",
      path: "/:id/messages",
      summary: "A chat's messages, page by page, from the last to the first",
      params: ById,
      query: MessagePageQuery,
      responses: {
        200: json(
          MessagePage,
          "Oldest first; pass `earlier` as `before` to get the page before it",
        ),
        404: unknown,
      },
    }),
    ({ caller, params, query }) => chats.messages(caller, params.id, query),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/:id/messages/:message_id/passages",
      summary: "The passages of files that an answer was given, word for word",
      params: ById.extend({ message_id: z.string().max(200) }),
      responses: { 200: json(Passages, "In the order of the message's `sources`"), 404: unknown },
    }),
    ({ caller, params }) => chats.passages(caller, params.id, params.message_id),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/:id/images/:image_id",
      summary: "The bytes of an image in a chat",
      params: ById.extend({ image_id: z.string().max(200) }),
      responses: { 200: { description: "The image", contentType: "image/*" }, 404: unknown },
    }),
    async ({ caller, params, countReplyBytes }) => {
      const { media_type, base64 } = await chats.image(caller, params.id, params.image_id)
      const bytes = Buffer.from(base64, "base64")
      countReplyBytes(bytes.length)
      return new Response(bytes, {
        headers: {
          "content-type": media_type,
          "cache-control": "private, max-age=31536000, immutable",
          "content-security-policy": "default-src 'none'; sandbox",
          "x-content-type-options": "nosniff",
        },
      })
    },
  )
  return router
}

/** What a signed-in page is told without asking. */
export const newsRoutes = (router: Router, news: News): Router => {
  router.raw(
    route("user", {
      method: "get",
      path: "/events",
      summary:
        "What changed: `chats`, `files`, `collections` (each with its id), `models`, `account`, `reset`",
      responses: { 200: events("Events; goes on until the reader leaves") },
    }),
    async ({ caller, exchange }) => news(exchange, caller),
  )
  return router
}

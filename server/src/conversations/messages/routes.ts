import { z } from "zod"
import { IdParams } from "../../http/pagination.ts"
import { json, type RouteShape, route, success } from "../../http/route.ts"
import { ChatPassages } from "../answers/source-schema.ts"
import { MessagePage, MessagePageQuery, NewMessage, StartedAnswers } from "../schema.ts"

const notFound = { description: "Chat not found, or you do not have access to it" }
const eventStream = (description: string): RouteShape["responses"][number] => ({
  description,
  contentType: "text/event-stream",
})

/** The routes for a chat's messages: send, stream, stop. */
export const chatMessageRoutes = {
  send: route("post", "/api/v1/chats/:id/messages", {
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
  }),
  stop: route("post", "/api/v1/chats/:id/stop", {
    access: "user",
    grantsPrivileges: false,
    summary: "Stop one answer, or all answers of the chat",
    params: IdParams,
    body: z.object({ message_id: z.string().max(200).nullable().default(null) }),
    responses: { 200: success("The answers have stopped"), 404: notFound },
  }),
  events: route("get", "/api/v1/chats/:id/events", {
    access: "user",
    summary:
      "Stream a chat's events after `after`: `snapshot`, `messages`, `message`, `delta`, `deleted`",
    params: IdParams,
    responses: {
      200: eventStream("Numbered events, until the client disconnects"),
      404: notFound,
    },
  }),
  list: route("get", "/api/v1/chats/:id/messages", {
    access: "user",
    summary: "List a chat's messages, page by page, starting with the last page",
    params: IdParams,
    query: MessagePageQuery,
    responses: {
      200: json(MessagePage, "Oldest first; pass `earlier` as `before` to get the preceding page"),
      404: notFound,
    },
  }),
  passages: route("get", "/api/v1/chats/:id/messages/:message_id/passages", {
    access: "user",
    summary: "List the file passages that an answer was given, verbatim",
    params: IdParams.extend({ message_id: z.string().max(200) }),
    responses: {
      200: json(ChatPassages, "In the order of the message's `sources`"),
      404: notFound,
    },
  }),
  image: route("get", "/api/v1/chats/:id/images/:image_id", {
    access: "user",
    summary: "Get an image of a chat",
    params: IdParams.extend({ image_id: z.string().max(200) }),
    responses: { 200: { description: "The image", contentType: "image/*" }, 404: notFound },
  }),
}

/** Events of all chats and projects of a user. */
export const changeEventRoutes = {
  stream: route("get", "/api/v1/events", {
    access: "user",
    summary:
      "Stream change notifications: `chats`, `files`, `collections` (each with an id), `models`, `account`, `reset`",
    responses: { 200: eventStream("Events, until the client disconnects") },
  }),
}

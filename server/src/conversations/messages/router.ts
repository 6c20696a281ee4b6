import type { Router } from "../../http/router.ts"
import type { Answers } from "../answers/answers.ts"
import type { Chats } from "../chats/chats.ts"
import type { ChangeEventStream } from "../events/change-event-stream.ts"
import { type ChatEventStream, parseEventId } from "../events/chat-event-stream.ts"
import type { MessageSender } from "./message-sender.ts"
import { changeEventRoutes, chatMessageRoutes } from "./routes.ts"

interface Deps {
  router: Router
  chats: Chats
  messageSender: MessageSender
  answers: Answers
  streamEvents: ChatEventStream
}

/** The routes for a chat's messages: send, stream, stop. */
export const createChatMessageRouter = (deps: Deps): Router => {
  const { router, chats, messageSender, answers, streamEvents } = deps
  router.on(chatMessageRoutes.send, ({ caller, params, body, context }) =>
    messageSender.send(caller, params.id, { input: body, requestId: context.requestId }),
  )
  router.on(chatMessageRoutes.stop, async ({ caller, params, body }) => {
    await chats.getOwn(caller, params.id)
    await answers.stop(params.id, body.message_id)
  })
  router.raw(chatMessageRoutes.events, async ({ caller, params, context }) => {
    const { headers, url = "" } = context.incoming
    const query = new URLSearchParams(url.split("?", 2)[1])
    // Pages send the event id in the URL; a reconnecting browser sends it in a header.
    const resume = parseEventId(String(headers["last-event-id"] ?? query.get("after") ?? ""))
    await streamEvents(context, caller, { id: params.id, resume })
  })
  router.on(chatMessageRoutes.list, ({ caller, params, query }) =>
    chats.messages(caller, params.id, query),
  )
  router.on(chatMessageRoutes.passages, ({ caller, params }) =>
    chats.passages(caller, params.id, params.message_id),
  )
  router.on(chatMessageRoutes.image, async ({ caller, params, context, countReplyBytes }) => {
    const { media_type, base64 } = await chats.image(caller, params.id, params.image_id)
    // An image never changes, but access to it may end.
    const etag = `"${params.image_id}"`
    const headers = {
      ...{ etag, "cache-control": "private, no-cache", "content-type": media_type },
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    }
    if (context.incoming.headers["if-none-match"] === etag)
      return new Response(null, { status: 304, headers })
    const bytes = Buffer.from(base64, "base64")
    countReplyBytes(bytes.length)
    return new Response(bytes, { headers })
  })
  return router
}

/** The stream of change events for signed-in pages. */
export const createChangeEventRouter = (
  router: Router,
  streamChangeEvents: ChangeEventStream,
): Router => {
  router.raw(changeEventRoutes.stream, async ({ caller, context }) =>
    streamChangeEvents(context, caller),
  )
  return router
}

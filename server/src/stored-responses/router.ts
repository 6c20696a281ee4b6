import { fail } from "../errors.ts"
import type { BodyMemory } from "../http/body-memory.ts"
import { readMembers } from "../http/json-members.ts"
import type { NodeRequestContext } from "../http/request-context.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import {
  DeletedResponse,
  InputItems,
  InputItemsQuery,
  ResponseParams,
  ResponseQuery,
  StoredResponse,
} from "./schema.ts"
import type { StoredResponses } from "./stored-responses.ts"

const notFound = { description: "You have no such response; it may have expired" }

/** JSON that was serialized when it was stored: neither parsed nor serialized again. */
const respondWithJson = (
  json: Buffer<ArrayBuffer>,
  countBytes: (bytes: number) => void,
): Response => {
  countBytes(json.length)
  return new Response(json, { headers: { "content-type": "application/json" } })
}

const isBackground = (response: Buffer): boolean => {
  const member = readMembers(response).find(({ key }) => key === "background")
  return (
    member !== undefined && response.toString("utf8", member.valueStart, member.valueEnd) === "true"
  )
}

interface Deps {
  router: Router
  responses: StoredResponses
  bodyMemory: BodyMemory
}

/** OpenAI's routes for stored responses. */
export const createStoredResponseRouter = ({ router, responses, bodyMemory }: Deps): Router => {
  /** What is read is held until it is sent. */
  const reserverOf = (context: NodeRequestContext) => (bytes: number) =>
    bodyMemory.reserveResponse(context, bytes)

  router.on(
    route("get", "/responses/:id", {
      access: "user",
      isAliased: true,
      summary: "Get a stored response",
      params: ResponseParams,
      query: ResponseQuery,
      responses: {
        200: json(StoredResponse, "The response"),
        404: notFound,
        501: { description: "`stream` is not supported" },
      },
    }),
    async ({ caller, params, query, context, countReplyBytes }) => {
      if (query.stream)
        fail("not_implemented", "A stored response cannot be streamed. Request it without stream.")
      const response = await responses.get(caller.user.id, params.id, reserverOf(context))
      return respondWithJson(response, countReplyBytes)
    },
  )
  router.on(
    route("delete", "/responses/:id", {
      access: "user",
      grantsPrivileges: false,
      isAliased: true,
      summary: "Delete a stored response; those that continue it can no longer be continued",
      params: ResponseParams,
      responses: { 200: json(DeletedResponse, "The response was deleted"), 404: notFound },
    }),
    async ({ caller, actor, params: { id } }) => {
      await responses.remove(actor, caller.user.id, id)
      return { id, object: "response" as const, deleted: true as const }
    },
  )
  router.on(
    route("get", "/responses/:id/input_items", {
      access: "user",
      isAliased: true,
      summary: "List the input items of a stored response, without those of previous responses",
      params: ResponseParams,
      query: InputItemsQuery,
      responses: {
        200: json(InputItems, "One page of items, newest first unless `order` is `asc`"),
        400: { description: "`after` is not an item of the response" },
        404: notFound,
      },
    }),
    async ({ caller, params, query, context, countReplyBytes }) => {
      const { data, firstId, lastId, hasMore } = await responses.listInputItems(
        caller.user.id,
        params.id,
        query,
        reserverOf(context),
      )
      const rest = { first_id: firstId, last_id: lastId, has_more: hasMore }
      const json = `{"object":"list","data":${data},${JSON.stringify(rest).slice(1)}`
      return respondWithJson(Buffer.from(json), countReplyBytes)
    },
  )
  router.on(
    route("post", "/responses/:id/cancel", {
      access: "user",
      grantsPrivileges: false,
      isAliased: true,
      summary: "Cancel a background response; a response that has ended is returned as it is",
      params: ResponseParams,
      responses: {
        200: json(StoredResponse, "The response"),
        400: { description: "The response was not created with `background`" },
        404: notFound,
      },
    }),
    async ({ caller, params, context, countReplyBytes }) => {
      const response = await responses.get(caller.user.id, params.id, reserverOf(context))
      if (isBackground(response)) return respondWithJson(response, countReplyBytes)
      return fail(
        "bad_request",
        "Only responses created with background set to true can be cancelled.",
      )
    },
  )
  // Its path would otherwise be that of a stored response, which cannot be sent.
  router.on(
    route("post", "/responses/input_tokens", {
      access: "user",
      grantsPrivileges: false,
      isAliased: true,
      summary: "Not supported: count the input tokens of a response",
      responses: { 404: { description: "Use `/messages/count_tokens`" } },
    }),
    () => {
      const message = "/responses/input_tokens is not supported. Use /v1/messages/count_tokens."
      return fail("not_found", message)
    },
  )
  return router
}

import { fail } from "../errors.ts"
import type { Fields } from "../formats/json-values.ts"
import type { BodyMemory } from "../http/body-memory.ts"
import type { NodeRequestContext } from "../http/request-context.ts"
import { json } from "../http/route.ts"
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

const idOf = (item: Fields | undefined): unknown => item?.id ?? null

interface Deps {
  router: Router
  responses: StoredResponses
  bodyMemory: BodyMemory
}

/** OpenAI's routes for stored responses. */
export const storedResponseRoutes = ({ router, responses, bodyMemory }: Deps): Router => {
  /** What is read is held until it is sent. */
  const reserverOf = (exchange: NodeRequestContext) => (bytes: number) =>
    bodyMemory.reserveResponse(exchange, bytes)

  router.on("get", "/responses/:id", {
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
    handle: ({ caller, params, query, exchange }) => {
      if (query.stream)
        fail("not_implemented", "A stored response cannot be streamed. Request it without stream.")
      return responses.get(caller.user.id, params.id, reserverOf(exchange))
    },
  })
  router.on("delete", "/responses/:id", {
    access: "user",
    grantsPrivileges: false,
    isAliased: true,
    summary: "Delete a stored response; those that continue it can no longer be continued",
    params: ResponseParams,
    responses: { 200: json(DeletedResponse, "The response was deleted"), 404: notFound },
    handle: async ({ caller, actor, params: { id } }) => {
      await responses.remove(actor, caller.user.id, id)
      return { id, object: "response", deleted: true }
    },
  })
  router.on("get", "/responses/:id/input_items", {
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
    handle: async ({ caller, params, query, exchange }) => {
      const { items, hasMore } = await responses.listInputItems(
        caller.user.id,
        params.id,
        query,
        reserverOf(exchange),
      )
      return {
        object: "list",
        data: items,
        first_id: idOf(items[0]),
        last_id: idOf(items.at(-1)),
        has_more: hasMore,
      }
    },
  })
  router.on("post", "/responses/:id/cancel", {
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
    handle: async ({ caller, params, exchange }) => {
      const response = await responses.get(caller.user.id, params.id, reserverOf(exchange))
      if (response.background === true) return response
      return fail(
        "bad_request",
        "Only responses created with background set to true can be cancelled.",
      )
    },
  })
  return router
}

import { ById, Done, done, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Connections } from "./connections.ts"
import { Connection, ConnectionChanges, NewConnection, TestResult } from "./schema.ts"

const unknown = { description: "No such connection" }
const fixed = { description: "The environment fixes it" }

export const connectionRoutes = (router: Router, connections: Connections): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "All connections in their order, with their health; secrets masked",
      responses: { 200: json(Page(Connection), "All of them") },
    }),
    async () => {
      const items = await connections.list()
      return { items, total: items.length }
    },
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/create",
      givesAuthority: true,
      summary: "Create a connection",
      body: NewConnection,
      responses: { 200: json(Connection, "The new connection") },
    }),
    ({ actor, body }) => connections.create(actor, body),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/test",
      givesAuthority: false,
      summary: "Try settings that are not saved yet",
      body: NewConnection,
      responses: { 200: json(TestResult, "What came of it") },
    }),
    ({ body }) => connections.test(body),
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "One connection",
      params: ById,
      responses: { 200: json(Connection, "The connection"), 404: unknown },
    }),
    ({ params }) => connections.get(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/update",
      givesAuthority: true,
      summary: "Change a connection; what is left out stays, its key included",
      params: ById,
      body: ConnectionChanges,
      responses: { 200: json(Connection, "As it is now"), 404: unknown, 409: fixed },
    }),
    ({ actor, params, body }) => connections.update(actor, params.id, body),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/test",
      givesAuthority: false,
      summary: "Try a saved connection",
      params: ById,
      responses: { 200: json(TestResult, "What came of it"), 404: unknown },
    }),
    async ({ params }) => connections.test(await connections.stored(params.id)),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/:id",
      givesAuthority: true,
      summary: "Delete a connection",
      params: ById,
      responses: { 200: json(Done, "It is gone"), 404: unknown, 409: fixed },
    }),
    async ({ actor, params }) => {
      await connections.remove(actor, params.id)
      return done
    },
  )
  return router
}

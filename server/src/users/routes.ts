import { ById, Done, done, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { User, UserChanges, UserListQuery } from "./schema.ts"
import type { Users } from "./users.ts"

const unknown = { description: "No such user" }

export const userRoutes = (router: Router, users: Users): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "All accounts, searched and sorted",
      query: UserListQuery,
      responses: { 200: json(Page(User), "One page of accounts") },
    }),
    ({ query }) => users.list(query),
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "One account",
      params: ById,
      responses: { 200: json(User, "The account"), 404: unknown },
    }),
    ({ params }) => users.get(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/update",
      givesAuthority: true,
      summary: "Change an account; role, activity and password included",
      params: ById,
      body: UserChanges,
      responses: {
        200: json(User, "The account as it is now"),
        403: { description: "It is the last active administrator" },
        404: unknown,
        409: { description: "The e-mail is another account's" },
      },
    }),
    ({ actor, caller, params, body }) =>
      users.update(actor, params.id, body, users.requireAdmin(caller)),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/release",
      givesAuthority: true,
      summary: "Free the e-mail of an inactive account for another one; it keeps what it owns",
      params: ById,
      responses: {
        200: json(User, "The account as it is now"),
        404: unknown,
        409: { description: "It is active, or its e-mail is free already" },
      },
    }),
    ({ actor, params }) => users.release(actor, params.id),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/:id",
      givesAuthority: true,
      summary: "Delete an account with its keys and sessions",
      params: ById,
      responses: { 200: json(Done, "It is gone"), 404: unknown },
    }),
    async ({ actor, params }) => {
      await users.remove(actor, params.id)
      return done
    },
  )
  return router
}

import { IdParams, Page } from "../http/pagination.ts"
import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { User, UserChanges, UserListQuery } from "./schema.ts"
import type { Users } from "./users.ts"

const unknown = { description: "The user does not exist" }

export const userRoutes = (router: Router, users: Users): Router => {
  router.on("get", "/", {
    access: "admin",
    summary: "List, search and sort users",
    query: UserListQuery,
    responses: { 200: json(Page(User), "A page of users") },
    handle: ({ query }) => users.list(query),
  })
  router.on("get", "/:id", {
    access: "admin",
    summary: "Get a user",
    params: IdParams,
    responses: { 200: json(User, "The user"), 404: unknown },
    handle: ({ params }) => users.get(params.id),
  })
  router.on("post", "/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Update a user, including role, status and password",
    params: IdParams,
    body: UserChanges,
    responses: {
      200: json(User, "The updated user"),
      403: { description: "This is the last active administrator" },
      404: unknown,
      409: { description: "The email address is already in use" },
    },
    handle: ({ actor, caller, params, body }) =>
      users.update(actor, params.id, body, users.requireAdmin(caller)),
  })
  router.on("post", "/:id/release", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Release the email address of an inactive account; its data remains",
    params: IdParams,
    responses: {
      200: json(User, "The updated user"),
      404: unknown,
      409: { description: "The account is active, or its address was already released" },
    },
    handle: ({ actor, params }) => users.release(actor, params.id),
  })
  return router
}

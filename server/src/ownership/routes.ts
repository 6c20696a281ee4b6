import { InUseError } from "../http/in-use.ts"
import { IdParams } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { UserRemoval } from "./remove-user.ts"
import { OwnedObjects, UserRemovalQuery } from "./schema.ts"

const unknown = { description: "The user does not exist" }

/** The routes under `/api/v1/users` that concern what an account owns. */
export const userRemovalRoutes = (router: Router, removal: UserRemoval): Router => {
  router.on("get", "/:id/owned", {
    access: "admin",
    summary: "List what a user owns, and what other people use of it",
    params: IdParams,
    responses: { 200: json(OwnedObjects, "The objects"), 404: unknown },
    handle: ({ params }) => removal.owned(params.id),
  })
  router.on("delete", "/:id", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a user; hands over what they own, or deletes it",
    params: IdParams,
    query: UserRemovalQuery,
    responses: {
      200: success("The user was deleted"),
      404: unknown,
      409: json(InUseError, "Other people use what the account owns, and nothing was confirmed"),
    },
    handle: ({ actor, caller, params, query, exchange }) => {
      const isAwaited = () => !exchange.outgoing.destroyed
      return removal.remove({ actor, caller, id: params.id, query, isAwaited })
    },
  })
  return router
}

import { InUseError } from "../http/in-use.ts"
import { IdParams } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { OwnedObjects, UserRemovalQuery } from "./schema.ts"

const unknown = { description: "The user does not exist" }

/** The routes under `/api/v1/users` that concern what an account owns. */
export const userRemovalRoutes = {
  owned: route("get", "/api/v1/users/:id/owned", {
    access: "admin",
    summary: "List what a user owns, and what other people use of it",
    params: IdParams,
    responses: { 200: json(OwnedObjects, "The objects"), 404: unknown },
  }),
  remove: route("delete", "/api/v1/users/:id", {
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
  }),
}

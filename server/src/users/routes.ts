import { IdParams, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import { User, UserChanges, UserListQuery } from "./schema.ts"

const unknown = { description: "The user does not exist" }

export const userRoutes = {
  list: route("get", "/api/v1/users", {
    access: "admin",
    summary: "List, search and sort users",
    query: UserListQuery,
    responses: { 200: json(Page(User), "A page of users") },
  }),
  get: route("get", "/api/v1/users/:id", {
    access: "admin",
    summary: "Get a user",
    params: IdParams,
    responses: { 200: json(User, "The user"), 404: unknown },
  }),
  update: route("post", "/api/v1/users/:id/update", {
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
  }),
  release: route("post", "/api/v1/users/:id/release", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Release the email address of an inactive account; its data remains",
    params: IdParams,
    responses: {
      200: json(User, "The updated user"),
      404: unknown,
      409: { description: "The account is active, or its address was already released" },
    },
  }),
}

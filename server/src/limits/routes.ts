import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { Limit, LimitChange, LimitListQuery, NewLimit } from "./schema.ts"

const notFound = { description: "No limit has this ID" }

export const limitRoutes = {
  list: route("get", "/api/v1/limits", {
    access: "admin",
    summary: "List limits with what is used of them",
    query: LimitListQuery,
    responses: { 200: json(Page(Limit), "One page of limits, by the time of their creation") },
  }),
  create: route("post", "/api/v1/limits", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a limit",
    body: NewLimit,
    responses: {
      200: json(Limit, "The limit"),
      409: { description: "The number of limits has reached its maximum" },
    },
  }),
  update: route("post", "/api/v1/limits/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change a limit; what is used of it stays, unless its window changes",
    params: IdParams,
    body: LimitChange,
    responses: { 200: json(Limit, "The limit"), 404: notFound },
  }),
  remove: route("delete", "/api/v1/limits/:id", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a limit",
    params: IdParams,
    responses: { 200: success("The limit was deleted"), 404: notFound },
  }),
}

import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import {
  Limit,
  LimitChange,
  LimitListQuery,
  LimitNotices,
  NewLimit,
  OwnLimit,
  OwnLimitQuery,
} from "./schema.ts"

const notYours = { description: "You cannot set this limit, or the key is restricted" }
const notFound = { description: "No limit has this ID" }

export const limitRoutes = {
  list: route("get", "/api/v1/limits", {
    access: "user",
    summary:
      "List limits with what is used of them: all for administrators, else yours, those of your keys and of groups that you manage",
    query: LimitListQuery,
    responses: { 200: json(Page(Limit), "One page of limits, by the time of their creation") },
  }),
  listOwn: route("get", "/api/v1/limits/own", {
    access: "user",
    summary: "List the limits on your requests; of those that others share, only the used part",
    query: OwnLimitQuery,
    responses: { 200: json(Page(OwnLimit), "One page of limits, the oldest first") },
  }),
  notices: route("get", "/api/v1/limits/notices", {
    access: "user",
    summary: "List the caller's limits, and those of their groups, that are nearly used up",
    responses: { 200: json(LimitNotices, "At most five limits, without amounts") },
  }),
  create: route("post", "/api/v1/limits", {
    access: "user",
    grantsPrivileges: true,
    summary:
      "Create a limit: of your key, or of a member or service key of a group that you manage",
    body: NewLimit,
    responses: {
      200: json(Limit, "The limit"),
      403: notYours,
      409: { description: "The number of limits has reached its maximum" },
    },
  }),
  update: route("post", "/api/v1/limits/:id/update", {
    access: "user",
    grantsPrivileges: true,
    summary: "Change a limit; what is used of it stays, unless its window changes",
    params: IdParams,
    body: LimitChange,
    responses: { 200: json(Limit, "The limit"), 403: notYours, 404: notFound },
  }),
  remove: route("delete", "/api/v1/limits/:id", {
    access: "user",
    grantsPrivileges: true,
    summary: "Delete a limit",
    params: IdParams,
    responses: { 200: success("The limit was deleted"), 403: notYours, 404: notFound },
  }),
}

import { z } from "zod"
import { IdParams, ListQuery, Page, SuccessStatus, successBody } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Groups } from "./groups.ts"
import {
  Group,
  GroupChanges,
  GroupListQuery,
  GroupMemberIds,
  NewGroup,
  OwnGroup,
} from "./schema.ts"

const unknown = { description: "The group or user does not exist" }
const taken = { description: "The name is already in use" }
const GroupMember = z.object({ id: z.string(), name: z.string(), email: z.string() })

export const groupRoutes = (router: Router, groups: Groups): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "List, search and sort groups",
      query: GroupListQuery,
      responses: { 200: json(Page(Group), "A page of groups") },
    }),
    ({ query }) => groups.list(query),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/create",
      grantsPrivileges: true,
      summary: "Create a group",
      body: NewGroup,
      responses: { 200: json(Group, "The new group"), 409: taken },
    }),
    ({ actor, body }) => groups.create(actor, body),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/mine",
      summary: "List your own groups",
      responses: { 200: json(z.array(OwnGroup), "Your groups, sorted by name") },
    }),
    async ({ caller }) => {
      const ownGroups = await groups.listNames([...caller.groups])
      return ownGroups.toSorted((a, b) => a.name.localeCompare(b.name))
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "Get a group",
      params: IdParams,
      responses: { 200: json(Group, "The group"), 404: unknown },
    }),
    ({ params }) => groups.get(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/update",
      grantsPrivileges: true,
      summary: "Change a group's name or description",
      params: IdParams,
      body: GroupChanges,
      responses: { 200: json(Group, "The updated group"), 404: unknown, 409: taken },
    }),
    ({ actor, params, body }) => groups.update(actor, params.id, body),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/:id",
      grantsPrivileges: true,
      summary: "Delete a group, but not its members",
      params: IdParams,
      responses: { 200: json(SuccessStatus, "The group was deleted"), 404: unknown },
    }),
    async ({ actor, params }) => {
      await groups.remove(actor, params.id)
      return successBody
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id/members",
      summary: "List the members of a group",
      params: IdParams,
      query: ListQuery,
      responses: { 200: json(Page(GroupMember), "A page of members"), 404: unknown },
    }),
    ({ params, query }) => groups.members(params.id, query),
  )
  for (const verb of ["add", "remove"] as const) {
    router.on(
      route("admin", {
        method: "post",
        path: `/:id/members/${verb}`,
        grantsPrivileges: true,
        summary: verb === "add" ? "Add members" : "Remove members",
        params: IdParams,
        body: GroupMemberIds,
        responses: { 200: json(Group, "The updated group"), 404: unknown },
      }),
      ({ actor, params, body }) =>
        groups.changeMembers(actor, params.id, { [verb]: body.user_ids }),
    )
  }
  return router
}

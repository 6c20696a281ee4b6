import { z } from "zod"
import { DeletionConfirmation, InUseError } from "../http/in-use.ts"
import { IdParams, ListQuery, Page } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
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
  router.on("get", "/", {
    access: "admin",
    summary: "List, search and sort groups",
    query: GroupListQuery,
    responses: { 200: json(Page(Group), "A page of groups") },
    handle: ({ query }) => groups.list(query),
  })
  router.on("post", "/create", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a group",
    body: NewGroup,
    responses: { 200: json(Group, "The new group"), 409: taken },
    handle: ({ actor, body }) => groups.create(actor, body),
  })
  router.on("get", "/mine", {
    access: "user",
    summary: "List your own groups",
    responses: { 200: json(z.array(OwnGroup), "Your groups, sorted by name") },
    handle: async ({ caller }) => {
      const ownGroups = await groups.listNames([...caller.groups])
      return ownGroups.toSorted((a, b) => a.name.localeCompare(b.name))
    },
  })
  router.on("get", "/:id", {
    access: "admin",
    summary: "Get a group",
    params: IdParams,
    responses: { 200: json(Group, "The group"), 404: unknown },
    handle: ({ params }) => groups.get(params.id),
  })
  router.on("post", "/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change a group's name or description",
    params: IdParams,
    body: GroupChanges,
    responses: { 200: json(Group, "The updated group"), 404: unknown, 409: taken },
    handle: ({ actor, params, body }) => groups.update(actor, params.id, body),
  })
  router.on("delete", "/:id", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a group, but not its members",
    params: IdParams,
    query: DeletionConfirmation,
    responses: {
      200: success("The group was deleted"),
      404: unknown,
      409: json(InUseError, "The group was given access, and the deletion was not confirmed"),
    },
    handle: ({ actor, params, query }) => groups.remove(actor, params.id, query),
  })
  router.on("get", "/:id/members", {
    access: "admin",
    summary: "List the members of a group",
    params: IdParams,
    query: ListQuery,
    responses: { 200: json(Page(GroupMember), "A page of members"), 404: unknown },
    handle: ({ params, query }) => groups.members(params.id, query),
  })
  for (const verb of ["add", "remove"] as const) {
    router.on("post", `/:id/members/${verb}`, {
      access: "admin",
      grantsPrivileges: true,
      summary: verb === "add" ? "Add members" : "Remove members",
      params: IdParams,
      body: GroupMemberIds,
      responses: { 200: json(Group, "The updated group"), 404: unknown },
      handle: ({ actor, params, body }) =>
        groups.changeMembers(actor, params.id, { [verb]: body.user_ids }),
    })
  }
  return router
}

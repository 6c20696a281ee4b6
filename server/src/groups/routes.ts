import { z } from "zod"
import { ById, Done, done, ListQuery, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Groups } from "./groups.ts"
import { Group, GroupChanges, GroupListQuery, MemberIds, NewGroup, OwnGroup } from "./schema.ts"

const unknown = { description: "No such group, or no such user" }
const taken = { description: "The name is another group's" }
const Member = z.object({ id: z.string(), name: z.string(), email: z.string() })

export const groupRoutes = (router: Router, groups: Groups): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "All groups, searched and sorted",
      query: GroupListQuery,
      responses: { 200: json(Page(Group), "One page of groups") },
    }),
    ({ query }) => groups.list(query),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/create",
      givesAuthority: true,
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
      summary: "The groups one is in, to share with",
      responses: { 200: json(z.array(OwnGroup), "By name") },
    }),
    async ({ caller }) => {
      const mine = await groups.named([...caller.groups])
      return mine.toSorted((a, b) => a.name.localeCompare(b.name))
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "One group",
      params: ById,
      responses: { 200: json(Group, "The group"), 404: unknown },
    }),
    ({ params }) => groups.get(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/update",
      givesAuthority: true,
      summary: "Rename or describe a group",
      params: ById,
      body: GroupChanges,
      responses: { 200: json(Group, "The group as it is now"), 404: unknown, 409: taken },
    }),
    ({ actor, params, body }) => groups.update(actor, params.id, body),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/:id",
      givesAuthority: true,
      summary: "Delete a group; its members stay",
      params: ById,
      responses: { 200: json(Done, "It is gone"), 404: unknown },
    }),
    async ({ actor, params }) => {
      await groups.remove(actor, params.id)
      return done
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id/members",
      summary: "The members of a group",
      params: ById,
      query: ListQuery,
      responses: { 200: json(Page(Member), "One page of members"), 404: unknown },
    }),
    ({ params, query }) => groups.members(params.id, query),
  )
  for (const verb of ["add", "remove"] as const) {
    router.on(
      route("admin", {
        method: "post",
        path: `/:id/members/${verb}`,
        givesAuthority: true,
        summary: verb === "add" ? "Add members" : "Remove members",
        params: ById,
        body: MemberIds,
        responses: { 200: json(Group, "The group as it is now"), 404: unknown },
      }),
      ({ actor, params, body }) =>
        groups.changeMembers(actor, params.id, { [verb]: body.user_ids }),
    )
  }
  return router
}

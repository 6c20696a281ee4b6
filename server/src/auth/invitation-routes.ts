import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import { IdParams, ListQuery, Page } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import {
  AcceptInvitation,
  CreatedInvitation,
  Invitation,
  InvitationToken,
  NewInvitation,
  OpenedInvitation,
} from "./invitation-schema.ts"
import type { Invitations } from "./invitations.ts"
import { isSameOrigin } from "./same-origin.ts"
import { SignedIn } from "./schema.ts"
import { createSessionCookie } from "./session-cookie.ts"
import { deviceOf } from "./sign-in-device.ts"

interface Deps {
  router: Router
  invitations: Invitations
  config: Pick<Config, "PUBLIC_URL">
}

const notOpen = { description: "The invitation was used or revoked, or has expired" }
const unknown = { description: "The link is incomplete or was deleted" }
const slow = { description: "Too many unknown links; see Retry-After" }

export const invitationRoutes = ({ router, invitations, config }: Deps): Router => {
  const cookie = createSessionCookie(config.PUBLIC_URL)
  const publicOrigin = config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin

  router.on("get", "/", {
    access: "admin",
    summary: "List invitations, newest first",
    query: ListQuery.pick({ page: true, page_size: true }),
    responses: { 200: json(Page(Invitation), "A page of invitations") },
    handle: ({ query }) => invitations.list(query),
  })
  router.on("post", "/create", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create an invitation; its token is returned only once",
    body: NewInvitation,
    responses: {
      200: json(CreatedInvitation, "The invitation with its token"),
      403: { description: "Password sign-in is turned off" },
      404: { description: "A group does not exist" },
      409: { description: "The identity provider manages a group's members" },
    },
    handle: ({ actor, caller, body }) => invitations.create(actor, caller, body),
  })
  router.on("delete", "/:id", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Revoke an invitation",
    params: IdParams,
    responses: {
      200: success("Revoked"),
      404: { description: "The invitation does not exist" },
      409: notOpen,
    },
    handle: ({ actor, caller, params }) => invitations.revoke(actor, caller, params.id),
  })
  router.on("post", "/open", {
    access: "anyone",
    summary: "Get the state of an invitation from its token",
    body: InvitationToken,
    responses: { 200: json(OpenedInvitation, "Its state"), 404: unknown, 429: slow },
    handle: ({ body, ...request }) => invitations.open(body.token, deviceOf(request)),
  })
  router.on("post", "/accept", {
    access: "anyone",
    summary: "Create an account with an invitation, even if sign-up is turned off",
    body: AcceptInvitation,
    responses: {
      200: json(SignedIn, "Signed in"),
      403: {
        description: "Password sign-in is turned off, or the request came from another website",
      },
      404: unknown,
      409: { description: "The invitation is no longer open, or the address is in use" },
      429: slow,
    },
    handle: async ({ body, ...request }) => {
      const { headers } = request.exchange.incoming
      if (!isSameOrigin(headers, publicOrigin))
        fail("forbidden", "Pages of other websites cannot create accounts.")
      const signedIn = await invitations.accept(body, deviceOf(request))
      return Response.json(signedIn, { headers: { "set-cookie": cookie.set(signedIn) } })
    },
  })
  return router
}

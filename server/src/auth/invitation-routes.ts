import { IdParams, ListQuery, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import {
  AcceptInvitation,
  CreatedInvitation,
  Invitation,
  InvitationToken,
  NewInvitation,
  OpenedInvitation,
} from "./invitation-schema.ts"
import { SignedIn } from "./schema.ts"

const notOpen = { description: "The invitation was used or revoked, or has expired" }
const unknown = { description: "The link is incomplete or was deleted" }
const slow = { description: "Too many unknown links; see Retry-After" }

export const invitationRoutes = {
  list: route("get", "/api/v1/invitations", {
    access: "admin",
    summary: "List invitations, newest first",
    query: ListQuery.pick({ page: true, page_size: true }),
    responses: { 200: json(Page(Invitation), "A page of invitations") },
  }),
  create: route("post", "/api/v1/invitations/create", {
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
  }),
  remove: route("delete", "/api/v1/invitations/:id", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Revoke an invitation",
    params: IdParams,
    responses: {
      200: success("Revoked"),
      404: { description: "The invitation does not exist" },
      409: notOpen,
    },
  }),
  open: route("post", "/api/v1/invitations/open", {
    access: "anyone",
    summary: "Get the state of an invitation from its token",
    body: InvitationToken,
    responses: { 200: json(OpenedInvitation, "Its state"), 404: unknown, 429: slow },
  }),
  accept: route("post", "/api/v1/invitations/accept", {
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
  }),
}

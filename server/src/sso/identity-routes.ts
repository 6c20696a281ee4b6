import { IdParams } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { Identities, UserIdentityParams } from "./schema.ts"

const unknown = { description: "The identity does not exist" }

/** The linked identities of one's own account, and of others' for administrators. */
export const identityRoutes = {
  list: route("get", "/api/v1/sso/identities", {
    access: "user",
    summary: "List your linked identities",
    responses: { 200: json(Identities, "All linked identities") },
  }),
  remove: route("delete", "/api/v1/sso/identities/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Unlink an identity from your account",
    params: IdParams,
    responses: {
      200: success("Unlinked; its sessions were ended"),
      404: unknown,
      409: { description: "It is the only way to sign in to the account" },
    },
  }),
  listOfUser: route("get", "/api/v1/sso/users/:id/identities", {
    access: "admin",
    summary: "List a user's linked identities",
    params: IdParams,
    responses: {
      200: json(Identities, "All linked identities"),
      404: { description: "The user does not exist" },
    },
  }),
  removeFromUser: route("delete", "/api/v1/sso/users/:id/identities/:identity", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Unlink an identity from a user",
    params: UserIdentityParams,
    responses: { 200: success("Unlinked; its sessions were ended"), 404: unknown },
  }),
}

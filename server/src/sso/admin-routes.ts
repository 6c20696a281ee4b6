import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { Identities, ProviderTest, SignOnProvider, UserIdentityParams } from "./schema.ts"

const unknown = { description: "The identity does not exist" }

/** Routes for administering providers and linked identities. */
export const signOnAdminRoutes = {
  providers: route("get", "/api/v1/sso/providers", {
    access: "admin",
    summary: "List single sign-on providers, with the URLs to register there",
    responses: { 200: json(Page(SignOnProvider), "All providers") },
  }),
  testProvider: route("post", "/api/v1/sso/providers/:id/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test a provider's configuration, keys and client registration",
    params: IdParams,
    responses: {
      200: json(ProviderTest, "The test results"),
      404: { description: "The provider does not exist" },
    },
  }),
  identities: route("get", "/api/v1/sso/identities", {
    access: "user",
    summary: "List your linked identities",
    responses: { 200: json(Identities, "All linked identities") },
  }),
  removeIdentity: route("delete", "/api/v1/sso/identities/:id", {
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
  userIdentities: route("get", "/api/v1/sso/users/:id/identities", {
    access: "admin",
    summary: "List a user's linked identities",
    params: IdParams,
    responses: {
      200: json(Identities, "All linked identities"),
      404: { description: "The user does not exist" },
    },
  }),
  removeUserIdentity: route("delete", "/api/v1/sso/users/:id/identities/:identity", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Unlink an identity from a user",
    params: UserIdentityParams,
    responses: { 200: success("Unlinked; its sessions were ended"), 404: unknown },
  }),
}

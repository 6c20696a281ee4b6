import { fail } from "../errors.ts"
import { IdParams, Page, toSinglePage } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { SingleSignOn } from "./create-sso.ts"
import { testProvider } from "./provider-check.ts"
import { Identities, ProviderTest, SignOnProvider, UserIdentityParams } from "./schema.ts"

const unknown = { description: "The identity does not exist" }

/** Routes for administering providers and linked identities. */
export const signOnAdminRoutes = (router: Router, sso: SingleSignOn): Router => {
  const { identities, findProvider } = sso

  router.on("get", "/providers", {
    access: "admin",
    summary: "List single sign-on providers, with the URLs to register there",
    responses: { 200: json(Page(SignOnProvider), "All providers") },
    handle: async () => toSinglePage(await sso.list()),
  })
  router.on("post", "/providers/:id/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test a provider's configuration, keys and client registration",
    params: IdParams,
    responses: {
      200: json(ProviderTest, "The test results"),
      404: { description: "The provider does not exist" },
    },
    handle: ({ params }) =>
      testProvider(findProvider(params.id) ?? fail("not_found", "No provider with this name")),
  })
  router.on("get", "/identities", {
    access: "user",
    summary: "List your linked identities",
    responses: { 200: json(Identities, "All linked identities") },
    handle: ({ caller }) => identities.list(caller.user.id),
  })
  router.on("delete", "/identities/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Unlink an identity from your account",
    params: IdParams,
    responses: {
      200: success("Unlinked; its sessions were ended"),
      404: unknown,
      409: { description: "It is the only way to sign in to the account" },
    },
    handle: ({ actor, caller, params }) =>
      identities.remove(actor, { userId: caller.user.id, id: params.id }, caller),
  })
  router.on("get", "/users/:id/identities", {
    access: "admin",
    summary: "List a user's linked identities",
    params: IdParams,
    responses: {
      200: json(Identities, "All linked identities"),
      404: { description: "The user does not exist" },
    },
    handle: ({ params }) => identities.list(params.id),
  })
  router.on("delete", "/users/:id/identities/:identity", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Unlink an identity from a user",
    params: UserIdentityParams,
    responses: { 200: success("Unlinked; its sessions were ended"), 404: unknown },
    handle: ({ actor, params }) =>
      identities.remove(actor, { userId: params.id, id: params.identity }),
  })
  return router
}

import { fail } from "../errors.ts"
import { ById, Done, done, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Sso } from "./create-sso.ts"
import { testProvider } from "./provider-check.ts"
import { Identities, OfUser, ProviderTest, SignOnProvider } from "./schema.ts"

const unknown = { description: "No such tie" }

/** The providers for administrators, and who is tied to them. */
export const signOnAdminRoutes = (router: Router, sso: Sso): Router => {
  const { identities, named } = sso

  router.on(
    route("admin", {
      method: "get",
      path: "/providers",
      summary: "The single sign-on providers, with what to enter there",
      responses: { 200: json(Page(SignOnProvider), "All of them") },
    }),
    async () => {
      const items = await sso.list()
      return { items, total: items.length }
    },
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/providers/:id/test",
      givesAuthority: false,
      summary: "Ask a provider for its configuration and keys, and whether it knows us",
      params: ById,
      responses: { 200: json(ProviderTest, "What came of it"), 404: { description: "Unknown" } },
    }),
    ({ params }) => testProvider(named(params.id) ?? fail("not_found", "No such provider")),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/identities",
      summary: "The providers that one's own account is tied to",
      responses: { 200: json(Identities, "All ties") },
    }),
    ({ caller }) => identities.of(caller.user.id),
  )
  router.on(
    route("user", {
      method: "delete",
      path: "/identities/:id",
      givesAuthority: false,
      summary: "Untie one's own account from a provider",
      params: ById,
      responses: {
        200: json(Done, "Untied; its sessions have ended"),
        404: unknown,
        409: { description: "It is the only way in" },
      },
    }),
    async ({ actor, caller, params }) => {
      await identities.remove(actor, { userId: caller.user.id, id: params.id }, caller)
      return done
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/users/:id/identities",
      summary: "The providers that an account is tied to",
      params: ById,
      responses: { 200: json(Identities, "All ties"), 404: { description: "No such user" } },
    }),
    ({ params }) => identities.of(params.id),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/users/:id/identities/:identity",
      givesAuthority: true,
      summary: "Untie somebody's account from a provider",
      params: OfUser,
      responses: { 200: json(Done, "Untied; its sessions have ended"), 404: unknown },
    }),
    async ({ actor, params }) => {
      await identities.remove(actor, { userId: params.id, id: params.identity })
      return done
    },
  )
  return router
}

import { z } from "zod"
import { json, route } from "../http/route.ts"
import { ProviderName, RedirectTarget, StartQuery } from "./schema.ts"

const LogoutForm = z.object({ logout_token: z.string() })

const redirectResponse = {
  description: "Redirect to the provider, or to a page that explains the problem",
}

/** Routes for signing in and out through a provider, and for requests from providers. */
export const signOnRoutes = {
  start: route("get", "/api/v1/sso/:provider/start", {
    access: "anyone",
    summary: "Start signing in with a provider",
    params: ProviderName,
    query: StartQuery,
    responses: { 302: redirectResponse },
  }),
  callback: route("get", "/api/v1/sso/:provider/callback", {
    access: "anyone",
    summary: "Complete signing in; the provider redirects here",
    params: ProviderName,
    responses: { 302: { description: "Redirect to the requested page" } },
  }),
  link: route("post", "/api/v1/sso/:provider/link", {
    access: "user",
    grantsPrivileges: true,
    summary: "Start linking your account to a provider",
    params: ProviderName,
    responses: { 200: json(RedirectTarget, "The URL to continue at") },
  }),
  signOut: route("post", "/api/v1/sso/signout", {
    access: "signed_in",
    grantsPrivileges: false,
    summary: "Sign out and get the URL for signing out at the provider",
    responses: { 200: json(RedirectTarget, "Signed out of Portico") },
  }),
  backchannelLogout: route("post", "/api/v1/sso/:provider/backchannel-logout", {
    access: "anyone",
    summary: "Receive a logout token from a provider and end its sessions",
    params: ProviderName,
    rawBody: { contentType: "application/x-www-form-urlencoded", schema: LogoutForm },
    responses: {
      200: { description: "The sessions were ended" },
      400: { description: "The logout token is invalid" },
    },
  }),
}

import { IdParams, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import { ProviderTest, SignOnProvider } from "./schema.ts"

export const providerRoutes = {
  list: route("get", "/api/v1/sso/providers", {
    access: "admin",
    summary: "List single sign-on providers, with the URLs to register there",
    responses: { 200: json(Page(SignOnProvider), "All providers") },
  }),
  test: route("post", "/api/v1/sso/providers/:id/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test a provider's configuration, keys and client registration",
    params: IdParams,
    responses: {
      200: json(ProviderTest, "The test results"),
      404: { description: "The provider does not exist" },
    },
  }),
}

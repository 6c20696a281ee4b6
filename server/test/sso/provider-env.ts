import type { FakeIssuer } from "../fakes/oidc-issuer.ts"

/** The environment variables that configure a provider. */
export const providerEnv = (
  { url, clientId, clientSecret }: Pick<FakeIssuer, "url" | "clientId" | "clientSecret">,
  settings: Record<string, string> = {},
  name = "OKTA",
): Record<string, string> => ({
  [`OIDC_${name}_ISSUER`]: url,
  [`OIDC_${name}_CLIENT_ID`]: clientId,
  [`OIDC_${name}_CLIENT_SECRET`]: clientSecret,
  ...Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`OIDC_${name}_${key}`, value]),
  ),
})

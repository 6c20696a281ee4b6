import type { Values } from "./values.ts"

/** The test of an identity provider. */
export const signOn = {
  issuer_responds: ({ issuer }: Values<"issuer">) => `${issuer} responds.`,
  issuer_differs: ({ issuer, variable }: Values<"issuer" | "variable">) =>
    `The provider's issuer is ${issuer}. Set ${variable} to exactly that.`,
  issuer_has_no_configuration: ({ issuer, variable }: Values<"issuer" | "variable">) =>
    `${issuer} responds, but has no OpenID configuration. Check ${variable}.`,
  issuer_unreachable: ({ issuer, cause }: Values<"issuer" | "cause">) =>
    `Can't reach ${issuer} (${cause}).`,
  sign_on_unavailable: ({ provider }: Values<"provider">) =>
    `Can't reach ${provider} right now. Try again later.`,
  key_url_missing: "The provider's configuration has no key URL (jwks_uri).",
  keys_missing: ({ address }: Values<"address">) => `No keys found at ${address}.`,
  keys_found: ({ count }: Values<"count">) => `Signing keys found: ${count}.`,
  keys_unreadable: ({ address, reason }: Values<"address" | "reason">) =>
    `Can't read the provider's keys at ${address} (${reason}).`,
  key_set_invalid: "not a valid key set",
  endpoints_missing: "The provider's configuration has no authorization or token endpoint.",
  endpoints_available_with_sign_out:
    "All required endpoints are available. Signing out of Portico also signs out at the provider.",
  endpoints_available:
    "All required endpoints are available. Signing out of Portico does not sign out at the provider.",
  client_registered: "The client is registered.",
  client_registered_as: ({ client }: Values<"client">) => `The client ${client} is registered.`,
  redirect_uri_not_registered: ({ address }: Values<"address">) =>
    `The redirect URI ${address} is not registered at the provider.`,
  client_rejected: "The provider rejected the client ID or secret. Check both at the provider.",
  client_rejected_because: ({ cause }: Values<"cause">) =>
    `The provider rejected the client ID or secret (${cause}).`,
}

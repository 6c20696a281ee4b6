import { maxPageSize, type ScimJson } from "@portico/scim"
import { maxBodyBytes } from "./read-request.ts"

/** The service provider configuration (RFC 7643 §5). */
export const serviceProviderConfig = (base: string): ScimJson => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  // authentik limits the operations of one PATCH to this value, even though bulk is unsupported.
  bulk: { supported: false, maxOperations: 1000, maxPayloadSize: maxBodyBytes },
  filter: { supported: true, maxResults: maxPageSize },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "Static token sent as Authorization: Bearer <SCIM_TOKEN>",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: {
    resourceType: "ServiceProviderConfig",
    location: `${base}/ServiceProviderConfig`,
  },
})

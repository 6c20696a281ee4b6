import type { ScimJson } from "./json-values.ts"

const listUrn = "urn:ietf:params:scim:api:messages:2.0:ListResponse"

/** A ListResponse (RFC 7644 §3.4.2). */
export const listResponse = (
  resources: readonly ScimJson[],
  { total, startIndex }: { total: number; startIndex: number },
): ScimJson => ({
  schemas: [listUrn],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})

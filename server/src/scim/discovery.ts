import type { ScimAttribute } from "./attributes.ts"
import type { ScimJson } from "./projection.ts"
import { isStored, type ResourceType, resourceTypes } from "./resource-types.ts"
import { maxCount } from "./search-query.ts"

const coreUrn = (name: string): string => `urn:ietf:params:scim:schemas:core:2.0:${name}`

const meta = (resourceType: string, location: string): ScimJson => ({ resourceType, location })

/** The service provider configuration (RFC 7643 §5). */
export const serviceProviderConfig = (base: string, limits: AdvertisedLimits): ScimJson => ({
  schemas: [coreUrn("ServiceProviderConfig")],
  patch: { supported: true },
  // authentik limits the operations of one PATCH to this value, even though bulk is unsupported.
  bulk: { supported: false, ...limits },
  filter: { supported: true, maxResults: maxCount },
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
  meta: meta("ServiceProviderConfig", `${base}/ServiceProviderConfig`),
})

interface AdvertisedLimits {
  maxOperations: number
  maxPayloadSize: number
}

export const resourceTypeJson = (
  { name, endpoint, ...type }: ResourceType,
  base: string,
): ScimJson => ({
  schemas: [coreUrn("ResourceType")],
  id: name,
  name,
  endpoint: `/${endpoint}`,
  description: type.description,
  schema: type.schema,
  meta: meta("ResourceType", `${base}/ResourceTypes/${name}`),
})

const attributeJson = (attribute: ScimAttribute): ScimJson => {
  const { name, type, description, subAttributes, canonicalValues, referenceTypes } = attribute
  const isText = type === "string" || type === "reference"
  return {
    name,
    type,
    multiValued: attribute.multiValued ?? false,
    description,
    required: attribute.required ?? false,
    ...(isText && { caseExact: attribute.caseExact ?? false }),
    mutability: attribute.mutability ?? "readWrite",
    returned: attribute.returned ?? "default",
    ...(type !== "complex" && { uniqueness: attribute.uniqueness ?? "none" }),
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.filter(isStored).map(attributeJson) }),
  }
}

/** Common attributes are not part of any schema (RFC 7643 §3.1). */
const commonAttributeNames = new Set(["schemas", "id", "externalId", "meta"])

/**
 * The stored attributes of a schema; attributes that are accepted but not stored are not
 * advertised.
 */
export const schemaJson = (type: ResourceType, base: string): ScimJson => ({
  schemas: [coreUrn("Schema")],
  id: type.schema,
  name: type.name,
  description: type.description,
  attributes: type.attributes
    .filter((attribute) => isStored(attribute) && !commonAttributeNames.has(attribute.name))
    .map(attributeJson),
  meta: meta("Schema", `${base}/Schemas/${type.schema}`),
})

export const findResourceType = (name: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.name.toLowerCase() === name.toLowerCase())

export const findSchema = (text: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.schema.toLowerCase() === text.toLowerCase())

import type { ScimJson } from "./json-values.ts"
import { isStoredAttribute, type ResourceType, type ScimAttribute } from "./resource-type.ts"

const coreUrn = (name: string): string => `urn:ietf:params:scim:schemas:core:2.0:${name}`

const meta = (resourceType: string, location: string): ScimJson => ({ resourceType, location })

/** A resource type (RFC 7643 §6). */
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
    ...(subAttributes && {
      subAttributes: subAttributes.filter(isStoredAttribute).map(attributeJson),
    }),
  }
}

/** Common attributes are not part of any schema (RFC 7643 §3.1). */
const commonAttributeNames = new Set(["schemas", "id", "externalId", "meta"])

/** A schema (RFC 7643 §7), without attributes that are accepted but not stored. */
export const schemaJson = (type: ResourceType, base: string): ScimJson => ({
  schemas: [coreUrn("Schema")],
  id: type.schema,
  name: type.name,
  description: type.description,
  attributes: type.attributes
    .filter(
      (attribute) => isStoredAttribute(attribute) && !commonAttributeNames.has(attribute.name),
    )
    .map(attributeJson),
  meta: meta("Schema", `${base}/Schemas/${type.schema}`),
})

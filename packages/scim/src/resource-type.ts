/**
 * SQL column of an attribute's value: text, 0 or 1 for a boolean, epoch milliseconds for a dateTime.
 * The text of an attribute that is not `caseExact` is stored case-folded.
 */
export type AttributeColumn =
  | string
  | { constant: string }
  /** URL of a resource, built from the type's endpoint and its id column. */
  | { endpoint: string; id: string }

/** An attribute definition (RFC 7643 §7); absent characteristics have the RFC's defaults. */
export interface ScimAttribute {
  name: string
  type: "string" | "boolean" | "dateTime" | "reference" | "complex"
  description: string
  multiValued?: true
  required?: true
  caseExact?: true
  mutability?: "readOnly" | "immutable" | "writeOnly"
  returned?: "always" | "never" | "request"
  uniqueness?: "server"
  canonicalValues?: string[]
  referenceTypes?: string[]
  subAttributes?: readonly ScimAttribute[]
  /** Whether a number is accepted as text: some clients send IDs so. */
  acceptsNumbers?: true
  /** Absent if the attribute is accepted but not stored. */
  column?: AttributeColumn
  /** Rows of a multi-valued attribute: `from` clause, the owner's id column, and sort order. */
  elements?: { from: string; owner: string; order?: string }
  /** Maximum values of a multi-valued attribute that is edited in memory. */
  maxValues?: number
}

/** A resource type; drives parsing, filters, projection, PATCH and discovery. */
export interface ResourceType {
  name: string
  endpoint: string
  description: string
  schema: string
  /** SQL table of the resources; its primary key is `id`. */
  table: string
  /** All attributes that the service stores or accepts, including the common ones. */
  attributes: readonly ScimAttribute[]
  /** Extension schemas by URN; accepted but not stored. */
  extensions: Readonly<Record<string, readonly ScimAttribute[]>>
}

/** False for attributes that are accepted but not stored. */
export const isStoredAttribute = ({ column, elements, subAttributes }: ScimAttribute): boolean =>
  column !== undefined || elements !== undefined || subAttributes?.some(isStoredAttribute) === true

/** The schemas of RFC 7643 §4. */
export const schemaUrns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
} as const

/** Defines an attribute; its type is string unless `characteristics` name another one. */
export const defineAttribute = (
  name: string,
  description: string,
  characteristics: Partial<ScimAttribute> = {},
): ScimAttribute => ({ name, type: "string", description, ...characteristics })

interface CommonColumns {
  id: string
  externalId: string
  created: string
  lastModified: string
}

/** Common attributes of every resource (RFC 7643 §3.1); not listed in any schema. */
const commonAttributes = (
  { name, endpoint, schema }: ResourceType,
  columns: CommonColumns,
): ScimAttribute[] => [
  defineAttribute("schemas", "The schemas of the resource", {
    caseExact: true,
    mutability: "readOnly",
    type: "reference",
    multiValued: true,
    returned: "always",
    column: { constant: schema },
  }),
  defineAttribute("id", "Unique identifier assigned by this service; never reused", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
    column: columns.id,
  }),
  defineAttribute("externalId", "Identifier assigned by the identity provider", {
    acceptsNumbers: true,
    caseExact: true,
    column: columns.externalId,
  }),
  defineAttribute("meta", "Resource metadata", {
    mutability: "readOnly",
    type: "complex",
    subAttributes: [
      defineAttribute("resourceType", "Name of the resource type", {
        caseExact: true,
        mutability: "readOnly",
        column: { constant: name },
      }),
      defineAttribute("created", "Creation time", {
        mutability: "readOnly",
        type: "dateTime",
        column: columns.created,
      }),
      defineAttribute("lastModified", "Time of the last change", {
        mutability: "readOnly",
        type: "dateTime",
        column: columns.lastModified,
      }),
      defineAttribute("location", "URL of the resource", {
        caseExact: true,
        mutability: "readOnly",
        type: "reference",
        referenceTypes: [name],
        column: { endpoint, id: columns.id },
      }),
    ],
  }),
]

/** Defines a resource type and adds the common attributes, which are stored in `columns`. */
export const defineResourceType = (type: ResourceType, columns: CommonColumns): ResourceType => ({
  ...type,
  attributes: [...commonAttributes(type, columns), ...type.attributes],
})

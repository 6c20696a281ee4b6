/** SQL column of an attribute's value; case-insensitive text uses its case-folded column. */
export type AttributeColumn =
  | string
  | { constant: string }
  /** URL of a resource, built from the type's endpoint and its id column. */
  | { endpoint: "Users" | "Groups"; id: string }

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
  /** Absent if the attribute is accepted but not stored. */
  column?: AttributeColumn
  /**
   * Rows of a multi-valued attribute: the `from` clause, the owner's id column, and the sort order.
   */
  elements?: { from: string; owner: string; order?: string }
  /** Maximum values of a multi-valued attribute that is edited in memory. */
  maxValues?: number
}

export const schemaUrns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
} as const

/** Common attributes of every resource (RFC 7643 §3.1); not listed in any schema. */
export const commonAttributes = (
  table: "users" | "groups",
  { name, endpoint }: { name: string; endpoint: "Users" | "Groups" },
): ScimAttribute[] => [
  {
    name: "schemas",
    type: "reference",
    description: "The schemas of the resource",
    multiValued: true,
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    column: { constant: name === "User" ? schemaUrns.user : schemaUrns.group },
  },
  {
    name: "id",
    type: "string",
    description: "Unique identifier assigned by this service; never reused",
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
    column: `${table}.id`,
  },
  {
    name: "externalId",
    type: "string",
    description: "Identifier assigned by the identity provider",
    caseExact: true,
    column: `${table}.external_id`,
  },
  {
    name: "meta",
    type: "complex",
    description: "Resource metadata",
    mutability: "readOnly",
    subAttributes: [
      {
        name: "resourceType",
        type: "string",
        description: "User or Group",
        caseExact: true,
        mutability: "readOnly",
        column: { constant: name },
      },
      {
        name: "created",
        type: "dateTime",
        description: "Creation time",
        mutability: "readOnly",
        column: `${table}.created_ms`,
      },
      {
        name: "lastModified",
        type: "dateTime",
        description: "Time of the last change",
        mutability: "readOnly",
        column: `${table}.updated_ms`,
      },
      {
        name: "location",
        type: "reference",
        description: "URL of the resource",
        caseExact: true,
        mutability: "readOnly",
        referenceTypes: [name],
        column: { endpoint, id: `${table}.id` },
      },
    ],
  },
]

/** An attribute that is accepted but not stored. */
const ignoredAttribute = (name: string, rest: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: "string",
  description: "Accepted but not stored",
  ...rest,
})

/** A multi-valued complex attribute that is accepted but not stored. */
const ignoredList = (name: string, ...more: string[]): ScimAttribute =>
  ignoredAttribute(name, {
    type: "complex",
    multiValued: true,
    subAttributes: [
      ...["value", "display", "type", ...more].map((sub) => ignoredAttribute(sub)),
      ignoredAttribute("primary", { type: "boolean" }),
    ],
  })

/** Remaining core user attributes (RFC 7643 §4.1). */
export const ignoredUserAttributes: ScimAttribute[] = [
  ...["title", "userType", "preferredLanguage", "locale", "timezone"].map((name) =>
    ignoredAttribute(name),
  ),
  ignoredAttribute("profileUrl", { type: "reference" }),
  ignoredAttribute("password", { mutability: "writeOnly", returned: "never" }),
  ...["phoneNumbers", "ims", "photos", "entitlements", "roles", "x509Certificates"].map((name) =>
    ignoredList(name),
  ),
  ignoredList(
    "addresses",
    "formatted",
    "streetAddress",
    "locality",
    "region",
    "postalCode",
    "country",
  ),
]

export const ignoredNameAttributes = [
  "formatted",
  "middleName",
  "honorificPrefix",
  "honorificSuffix",
].map((name) => ignoredAttribute(name))

/** The enterprise user extension (RFC 7643 §4.3). */
export const enterpriseAttributes: ScimAttribute[] = [
  ...["employeeNumber", "costCenter", "organization", "division", "department"].map((name) =>
    ignoredAttribute(name),
  ),
  ignoredAttribute("manager", {
    type: "complex",
    subAttributes: ["value", "$ref", "displayName"].map((name) => ignoredAttribute(name)),
  }),
]

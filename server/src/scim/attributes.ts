/** Where SQL finds an attribute's value; texts that ignore case are found by their folded form. */
export type Column =
  | string
  | { constant: string }
  /** The address of a resource: the type's endpoint and the column of its id. */
  | { endpoint: "Users" | "Groups"; id: string }

/** One attribute as RFC 7643 §7 describes it; what is left out has that section's default. */
export interface Attribute {
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
  subAttributes?: readonly Attribute[]
  /** Absent in an attribute that is accepted and not kept. */
  column?: Column
  /** Rows of the values of a multi-valued attribute: a `from` clause, whose they are, their order. */
  elements?: { from: string; owner: string; order?: string }
  /** Most values of a multi-valued attribute that is kept in memory while it is changed. */
  max?: number
}

export const urns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
} as const

/** Part of every resource (RFC 7643 §3.1); no schema lists them. */
export const commonAttributes = (
  table: "users" | "groups",
  { name, endpoint }: { name: string; endpoint: "Users" | "Groups" },
): Attribute[] => [
  {
    name: "schemas",
    type: "reference",
    description: "The schemas of the resource",
    multiValued: true,
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    column: { constant: name === "User" ? urns.user : urns.group },
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

/** An attribute that is accepted and not kept. */
const ignored = (name: string, rest: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  description: "Accepted but not stored",
  ...rest,
})

/** A list of values, each with a type, that is accepted and not kept. */
const ignoredList = (name: string, ...more: string[]): Attribute =>
  ignored(name, {
    type: "complex",
    multiValued: true,
    subAttributes: [
      ...["value", "display", "type", ...more].map((sub) => ignored(sub)),
      ignored("primary", { type: "boolean" }),
    ],
  })

/** The rest of the core schema for users (RFC 7643 §4.1). */
export const ignoredUserAttributes: Attribute[] = [
  ...["title", "userType", "preferredLanguage", "locale", "timezone"].map((name) => ignored(name)),
  ignored("profileUrl", { type: "reference" }),
  ignored("password", { mutability: "writeOnly", returned: "never" }),
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

export const ignoredNames = ["formatted", "middleName", "honorificPrefix", "honorificSuffix"].map(
  (name) => ignored(name),
)

/** The enterprise extension (RFC 7643 §4.3). */
export const enterpriseAttributes: Attribute[] = [
  ...["employeeNumber", "costCenter", "organization", "division", "department"].map((name) =>
    ignored(name),
  ),
  ignored("manager", {
    type: "complex",
    subAttributes: ["value", "$ref", "displayName"].map((name) => ignored(name)),
  }),
]

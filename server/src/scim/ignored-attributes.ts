import type { ScimAttribute } from "@portico/scim"

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

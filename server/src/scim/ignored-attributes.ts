import { defineAttribute, type ScimAttribute } from "@portico/scim"

const description = "Accepted but not stored"

/** Text attributes that are accepted but not stored. */
const ignoredTexts = (...names: string[]): ScimAttribute[] =>
  names.map((name) => defineAttribute(name, description))

/** A multi-valued complex attribute that is accepted but not stored. */
const ignoredList = (name: string, ...more: string[]): ScimAttribute =>
  defineAttribute(name, description, {
    type: "complex",
    multiValued: true,
    subAttributes: [
      ...ignoredTexts("value", "display", "type", ...more),
      defineAttribute("primary", description, { type: "boolean" }),
    ],
  })

/** Remaining core user attributes (RFC 7643 §4.1). */
export const ignoredUserAttributes: ScimAttribute[] = [
  ...ignoredTexts("title", "userType", "preferredLanguage", "locale", "timezone"),
  defineAttribute("profileUrl", description, { type: "reference" }),
  defineAttribute("password", description, { mutability: "writeOnly", returned: "never" }),
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

export const ignoredNameAttributes = ignoredTexts(
  "formatted",
  "middleName",
  "honorificPrefix",
  "honorificSuffix",
)

/** The enterprise user extension (RFC 7643 §4.3). */
export const enterpriseAttributes: ScimAttribute[] = [
  ...ignoredTexts("employeeNumber", "costCenter", "organization", "division", "department"),
  defineAttribute("manager", description, {
    type: "complex",
    subAttributes: ignoredTexts("value", "$ref", "displayName"),
  }),
]

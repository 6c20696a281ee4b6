import {
  defineAttribute,
  defineResourceType,
  type ResourceType,
  type ScimAttribute,
  schemaUrns,
} from "@portico/scim"
import {
  enterpriseAttributes,
  ignoredNameAttributes,
  ignoredUserAttributes,
} from "./ignored-attributes.ts"

/** Columns of the common attributes. */
const commonColumns = (table: "users" | "groups") => ({
  id: `${table}.id`,
  externalId: `${table}.external_id`,
  created: `${table}.created_ms`,
  lastModified: `${table}.updated_ms`,
})

const emails = defineAttribute("emails", "E-mail addresses, stored as sent", {
  type: "complex",
  multiValued: true,
  maxValues: 100,
  elements: {
    from: "user_emails",
    owner: "user_emails.user_id",
    order: "user_emails.is_primary desc, user_emails.position",
  },
  subAttributes: [
    defineAttribute("value", "The address", { column: "user_emails.value_key" }),
    defineAttribute("display", "Display text", { column: "user_emails.display_key" }),
    defineAttribute("type", "Purpose of the address", {
      canonicalValues: ["work", "home", "other"],
      column: "user_emails.type_key",
    }),
    defineAttribute("primary", "Whether this is the primary address; at most one is", {
      type: "boolean",
      column: "user_emails.is_primary",
    }),
  ],
})

const groups = defineAttribute("groups", "Groups the user belongs to; managed through the groups", {
  type: "complex",
  multiValued: true,
  mutability: "readOnly",
  elements: {
    from: `group_members inner join "groups" on "groups".id = group_members.group_id`,
    owner: "group_members.user_id",
  },
  subAttributes: [
    defineAttribute("value", "The group's id", {
      caseExact: true,
      mutability: "readOnly",
      column: "groups.id",
    }),
    defineAttribute("$ref", "URL of the group", {
      type: "reference",
      caseExact: true,
      mutability: "readOnly",
      referenceTypes: ["Group"],
      column: { endpoint: "Groups", id: "groups.id" },
    }),
    defineAttribute("display", "The group's name", {
      mutability: "readOnly",
      column: "groups.name_key",
    }),
    defineAttribute("type", "Always direct", {
      mutability: "readOnly",
      canonicalValues: ["direct"],
      column: { constant: "direct" },
    }),
  ],
})

const userAttributes: ScimAttribute[] = [
  defineAttribute("userName", "E-mail address used to sign in", {
    required: true,
    uniqueness: "server",
    column: "users.email_key",
  }),
  defineAttribute("name", "Components of the name", {
    type: "complex",
    subAttributes: [
      defineAttribute("familyName", "The family name", { column: "users.family_name_key" }),
      defineAttribute("givenName", "The given name", { column: "users.given_name_key" }),
      ...ignoredNameAttributes,
    ],
  }),
  defineAttribute("displayName", "Display name", { column: "users.display_name_key" }),
  defineAttribute("nickName", "Nickname", { column: "users.nick_name_key" }),
  defineAttribute("active", "Whether the user can sign in; defaults to true", {
    type: "boolean",
    required: true,
    column: "users.active",
  }),
  emails,
  groups,
]

export const membersAttribute = defineAttribute("members", "The users in the group", {
  type: "complex",
  multiValued: true,
  elements: {
    from: "group_members inner join users on users.id = group_members.user_id",
    owner: "group_members.group_id",
  },
  subAttributes: [
    defineAttribute("value", "The user's id", {
      caseExact: true,
      mutability: "immutable",
      column: "group_members.user_id",
    }),
    defineAttribute("$ref", "URL of the user", {
      type: "reference",
      caseExact: true,
      mutability: "immutable",
      referenceTypes: ["User"],
      column: { endpoint: "Users", id: "group_members.user_id" },
    }),
    defineAttribute("type", "Always User", {
      mutability: "immutable",
      canonicalValues: ["User"],
      column: { constant: "User" },
    }),
    defineAttribute("display", "The user's name", {
      mutability: "readOnly",
      returned: "request",
      column: "users.name_key",
    }),
  ],
})

const groupAttributes: ScimAttribute[] = [
  defineAttribute("displayName", "The group's name", {
    required: true,
    uniqueness: "server",
    column: "groups.name_key",
  }),
  membersAttribute,
]

export const userType = defineResourceType(
  {
    name: "User",
    endpoint: "Users",
    schema: schemaUrns.user,
    description: "User Account",
    table: "users",
    attributes: [...userAttributes, ...ignoredUserAttributes],
    extensions: { [schemaUrns.enterprise]: enterpriseAttributes },
  },
  commonColumns("users"),
)

export const groupType = defineResourceType(
  {
    name: "Group",
    endpoint: "Groups",
    schema: schemaUrns.group,
    description: "Group",
    table: "groups",
    attributes: groupAttributes,
    extensions: {},
  },
  commonColumns("groups"),
)

export const resourceTypes = [userType, groupType]

export const findResourceType = (name: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.name.toLowerCase() === name.toLowerCase())

export const findSchema = (text: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.schema.toLowerCase() === text.toLowerCase())

import { commonAttributes, type ResourceType, type ScimAttribute, schemaUrns } from "@portico/scim"
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

const userAttributes: ScimAttribute[] = [
  {
    name: "userName",
    type: "string",
    description: "E-mail address used to sign in",
    required: true,
    uniqueness: "server",
    column: "users.email_key",
  },
  {
    name: "name",
    type: "complex",
    description: "Components of the name",
    subAttributes: [
      {
        name: "familyName",
        type: "string",
        description: "The family name",
        column: "users.family_name_key",
      },
      {
        name: "givenName",
        type: "string",
        description: "The given name",
        column: "users.given_name_key",
      },
      ...ignoredNameAttributes,
    ],
  },
  {
    name: "displayName",
    type: "string",
    description: "Display name",
    column: "users.display_name_key",
  },
  {
    name: "nickName",
    type: "string",
    description: "Nickname",
    column: "users.nick_name_key",
  },
  {
    name: "active",
    type: "boolean",
    description: "Whether the user can sign in; defaults to true",
    required: true,
    column: "users.active",
  },
  {
    name: "emails",
    type: "complex",
    description: "E-mail addresses, stored as sent",
    multiValued: true,
    maxValues: 100,
    elements: {
      from: "user_emails",
      owner: "user_emails.user_id",
      order: "user_emails.is_primary desc, user_emails.position",
    },
    subAttributes: [
      {
        name: "value",
        type: "string",
        description: "The address",
        column: "user_emails.value_key",
      },
      {
        name: "display",
        type: "string",
        description: "Display text",
        column: "user_emails.display_key",
      },
      {
        name: "type",
        type: "string",
        description: "Purpose of the address",
        canonicalValues: ["work", "home", "other"],
        column: "user_emails.type_key",
      },
      {
        name: "primary",
        type: "boolean",
        description: "Whether this is the primary address; at most one is",
        column: "user_emails.is_primary",
      },
    ],
  },
  {
    name: "groups",
    type: "complex",
    description: "Groups the user belongs to; managed through the groups",
    multiValued: true,
    mutability: "readOnly",
    elements: {
      from: `group_members inner join "groups" on "groups".id = group_members.group_id`,
      owner: "group_members.user_id",
    },
    subAttributes: [
      {
        name: "value",
        type: "string",
        description: "The group's id",
        caseExact: true,
        mutability: "readOnly",
        column: "groups.id",
      },
      {
        name: "$ref",
        type: "reference",
        description: "URL of the group",
        caseExact: true,
        mutability: "readOnly",
        referenceTypes: ["Group"],
        column: { endpoint: "Groups", id: "groups.id" },
      },
      {
        name: "display",
        type: "string",
        description: "The group's name",
        mutability: "readOnly",
        column: "groups.name_key",
      },
      {
        name: "type",
        type: "string",
        description: "Always direct",
        mutability: "readOnly",
        canonicalValues: ["direct"],
        column: { constant: "direct" },
      },
    ],
  },
]

const groupAttributes: ScimAttribute[] = [
  {
    name: "displayName",
    type: "string",
    description: "The group's name",
    required: true,
    uniqueness: "server",
    column: "groups.name_key",
  },
  {
    name: "members",
    type: "complex",
    description: "The users in the group",
    multiValued: true,
    elements: {
      from: "group_members inner join users on users.id = group_members.user_id",
      owner: "group_members.group_id",
    },
    subAttributes: [
      {
        name: "value",
        type: "string",
        description: "The user's id",
        caseExact: true,
        mutability: "immutable",
        column: "group_members.user_id",
      },
      {
        name: "$ref",
        type: "reference",
        description: "URL of the user",
        caseExact: true,
        mutability: "immutable",
        referenceTypes: ["User"],
        column: { endpoint: "Users", id: "group_members.user_id" },
      },
      {
        name: "type",
        type: "string",
        description: "Always User",
        mutability: "immutable",
        canonicalValues: ["User"],
        column: { constant: "User" },
      },
      {
        name: "display",
        type: "string",
        description: "The user's name",
        mutability: "readOnly",
        returned: "request",
        column: "users.name_key",
      },
    ],
  },
]

const userNames = { name: "User", endpoint: "Users", schema: schemaUrns.user }

export const userType: ResourceType = {
  ...userNames,
  description: "User Account",
  table: "users",
  attributes: [
    ...commonAttributes({ ...userNames, columns: commonColumns("users") }),
    ...userAttributes,
    ...ignoredUserAttributes,
  ],
  extensions: { [schemaUrns.enterprise]: enterpriseAttributes },
}

const groupNames = { name: "Group", endpoint: "Groups", schema: schemaUrns.group }

export const groupType: ResourceType = {
  ...groupNames,
  description: "Group",
  table: "groups",
  attributes: [
    ...commonAttributes({ ...groupNames, columns: commonColumns("groups") }),
    ...groupAttributes,
  ],
  extensions: {},
}

export const resourceTypes = [userType, groupType]

export const findResourceType = (name: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.name.toLowerCase() === name.toLowerCase())

export const findSchema = (text: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.schema.toLowerCase() === text.toLowerCase())

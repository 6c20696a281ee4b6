import {
  commonAttributes,
  type ResourceType,
  type ScimAttribute,
  schemaUrns,
} from "../src/resource-type.ts"

/** An attribute whose value is stored in a column of `table` with the same name. */
const text = (table: string, name: string, rest: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: "string",
  description: name,
  column: `${table}.${name}`,
  ...rest,
})

const commonColumns = (table: string) => ({
  id: `${table}.id`,
  externalId: `${table}.externalId`,
  created: `${table}.created`,
  lastModified: `${table}.lastModified`,
})

/** A multi-valued attribute with its own table. */
const list = (name: string, rest: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: "complex",
  description: name,
  multiValued: true,
  elements: { from: name, owner: `${name}.owner`, order: `${name}."primary" desc` },
  subAttributes: [
    text(name, "value"),
    text(name, "display"),
    text(name, "type", { canonicalValues: ["work", "home"] }),
    text(name, "primary", { type: "boolean" }),
  ],
  ...rest,
})

const userNames = { name: "User", endpoint: "Users", schema: schemaUrns.user }

/** Users like those in the examples of the RFCs. */
export const userType: ResourceType = {
  ...userNames,
  description: "User Account",
  table: "users",
  attributes: [
    ...commonAttributes({ ...userNames, columns: commonColumns("users") }),
    text("users", "userName", { required: true, uniqueness: "server" }),
    {
      name: "name",
      type: "complex",
      description: "Name",
      subAttributes: [text("users", "familyName"), text("users", "givenName")],
    },
    ...["displayName", "nickName", "title", "userType"].map((name) => text("users", name)),
    text("users", "active", { type: "boolean" }),
    list("emails", { maxValues: 100 }),
    list("ims"),
    list("groups", { mutability: "readOnly" }),
    { name: "locale", type: "string", description: "Not stored" },
    {
      name: "phoneNumbers",
      type: "complex",
      description: "Not stored",
      multiValued: true,
      subAttributes: [{ name: "value", type: "string", description: "Not stored" }],
    },
  ],
  extensions: {
    [schemaUrns.enterprise]: [{ name: "department", type: "string", description: "Not stored" }],
  },
}

const groupNames = { name: "Group", endpoint: "Groups", schema: schemaUrns.group }

export const groupType: ResourceType = {
  ...groupNames,
  description: "Group",
  table: "groups",
  attributes: [
    ...commonAttributes({ ...groupNames, columns: commonColumns("groups") }),
    text("groups", "displayName", { required: true }),
    {
      name: "members",
      type: "complex",
      description: "Members",
      multiValued: true,
      elements: { from: "members", owner: "members.owner" },
      subAttributes: [
        text("members", "value", { caseExact: true, mutability: "immutable" }),
        text("members", "display", { mutability: "readOnly", returned: "request" }),
      ],
    },
  ],
  extensions: {},
}

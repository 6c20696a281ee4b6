import {
  defineAttribute,
  defineResourceType,
  type ScimAttribute,
  schemaUrns,
} from "../src/resource-type.ts"

/** An attribute whose value is stored in a column of `table` with the same name. */
const text = (table: string, name: string, rest: Partial<ScimAttribute> = {}): ScimAttribute =>
  defineAttribute(name, name, { column: `${table}.${name}`, ...rest })

const commonColumns = (table: string) => ({
  id: `${table}.id`,
  externalId: `${table}.externalId`,
  created: `${table}.created`,
  lastModified: `${table}.lastModified`,
})

/** A multi-valued attribute with its own table. */
const list = (name: string, rest: Partial<ScimAttribute> = {}): ScimAttribute =>
  defineAttribute(name, name, {
    type: "complex",
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

/** Users like those in the examples of the RFCs. */
export const userType = defineResourceType(
  {
    name: "User",
    endpoint: "Users",
    schema: schemaUrns.user,
    description: "User Account",
    table: "users",
    attributes: [
      text("users", "userName", { required: true, uniqueness: "server" }),
      defineAttribute("name", "Name", {
        type: "complex",
        subAttributes: [text("users", "familyName"), text("users", "givenName")],
      }),
      ...["displayName", "nickName", "title", "userType"].map((name) => text("users", name)),
      text("users", "active", { type: "boolean" }),
      list("emails", { maxValues: 100 }),
      list("ims"),
      list("groups", { mutability: "readOnly" }),
      defineAttribute("locale", "Not stored"),
      defineAttribute("phoneNumbers", "Not stored", {
        type: "complex",
        multiValued: true,
        subAttributes: [defineAttribute("value", "Not stored")],
      }),
    ],
    extensions: { [schemaUrns.enterprise]: [defineAttribute("department", "Not stored")] },
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
    attributes: [
      text("groups", "displayName", { required: true }),
      defineAttribute("members", "Members", {
        type: "complex",
        multiValued: true,
        elements: { from: "members", owner: "members.owner" },
        subAttributes: [
          text("members", "value", { caseExact: true, mutability: "immutable" }),
          text("members", "display", { mutability: "readOnly", returned: "request" }),
        ],
      }),
    ],
    extensions: {},
  },
  commonColumns("groups"),
)

import { sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import { createExampleDatabase } from "../test/example-database.ts"
import { groupType, userType } from "../test/example-types.ts"
import { parseResource } from "./attribute-values.ts"
import { ChunkedReferences } from "./chunked-references.ts"
import { resourceTypeJson, schemaJson } from "./discovery.ts"
import { IgnoredAttributes } from "./ignored-attributes.ts"
import { listResponse } from "./list-response.ts"
import { createOrderBy } from "./order-by.ts"
import { createProjector, includesAttribute, requestsSubAttribute } from "./projection.ts"
import { schemaUrns } from "./resource-type.ts"
import { parseProjectionQuery, parseSearchBody, parseSearchQuery } from "./search-request.ts"

const base = "https://example.com/v2"

describe("parseResource", () => {
  it("keeps the stored attributes and reports the others", () => {
    const ignored = new IgnoredAttributes()
    const body = {
      schemas: [schemaUrns.user],
      id: "chosen by the client",
      USERNAME: "bjensen",
      active: "False",
      name: { givenName: "Barbara", middleName: "Jane" },
      emails: ["babs@jensen.org", {}, { value: "b@example.com", display: "" }],
      title: "",
      locale: "en",
      [schemaUrns.enterprise]: { department: "Tours", manager: null },
    }
    expect(Object.fromEntries(parseResource(userType, body, ignored))).toEqual({
      userName: "bjensen",
      active: false,
      name: { givenName: "Barbara" },
      emails: [{ value: "babs@jensen.org" }, { value: "b@example.com" }],
      title: null,
    })
    expect(ignored.names()).toEqual([
      "name.middleName",
      "locale",
      `${schemaUrns.enterprise}:department`,
    ])
  })

  it("rejects anything but an object", () => {
    expect(() => parseResource(userType, [], new IgnoredAttributes())).toThrow("a User object")
  })
})

describe("a query", () => {
  it("has defaults and bounds", () => {
    expect(parseSearchQuery(new URLSearchParams("startIndex=-1&count=1000"))).toEqual({
      filter: undefined,
      sortBy: undefined,
      descending: false,
      startIndex: 1,
      count: 200,
      projection: { only: null, except: [] },
    })
    expect(parseSearchBody({ SortBy: "id", sortOrder: "descending", count: 0 })).toMatchObject({
      sortBy: "id",
      descending: true,
      count: 0,
    })
  })

  it.each([
    ["filter=", "invalidFilter"],
    ["filter=id%20pr&Filter=id%20pr", "invalidSyntax"],
    ["count=many", "invalidValue"],
    ["sortOrder=random", "invalidValue"],
    ["attributes=id&excludedAttributes=name", "invalidValue"],
  ])("rejects %s", (query, scimType) => {
    expect(() => parseSearchQuery(new URLSearchParams(query))).toThrow(
      expect.objectContaining({ scimType }),
    )
  })

  it.each([
    [null, "invalidSyntax"],
    [{ attributes: 5 }, "invalidValue"],
    [{ sortBy: 5 }, "invalidValue"],
  ])("rejects the body %j", (body, scimType) => {
    expect(() => parseSearchBody(body)).toThrow(expect.objectContaining({ scimType }))
  })
})

describe("a projection", () => {
  const user = {
    schemas: [schemaUrns.user],
    id: "1",
    userName: "bjensen",
    name: { familyName: "Jensen", givenName: "Barbara" },
    emails: [{ value: "babs@jensen.org", type: "home" }],
  }
  it.each([
    ["", user],
    ["attributes=userName", { schemas: user.schemas, id: "1", userName: "bjensen" }],
    [
      `attributes=name.givenName,emails.type,${schemaUrns.user}:userName,shoe`,
      { ...user, name: { givenName: "Barbara" }, emails: [{ type: "home" }] },
    ],
    [
      "excludedAttributes=id,userName,name.familyName,name.givenName,emails.type",
      { schemas: user.schemas, id: "1", emails: [{ value: "babs@jensen.org" }] },
    ],
    ["attributes=emails.type,emails", { schemas: user.schemas, id: "1", emails: user.emails }],
  ])("%s", (query, expected) => {
    const projection = parseProjectionQuery(new URLSearchParams(query))
    expect(createProjector(userType, projection)(user)).toEqual(expected)
  })

  it("tells what the response needs", () => {
    const only = { only: ["members.display"], except: [] }
    expect(includesAttribute(groupType, only, "members")).toBe(true)
    expect(requestsSubAttribute(groupType, only, ["members", "display"])).toBe(true)
    const except = { only: null, except: ["members"] }
    expect(includesAttribute(groupType, except, "members")).toBe(false)
    expect(requestsSubAttribute(groupType, except, ["members", "display"])).toBe(false)
  })

  it("picks sub-attributes of a reference list", () => {
    const target = { type: "User", location: `${base}/Users/` }
    const members = ChunkedReferences.of({ ids: "1 2", count: 2 }, target)
    const project = createProjector(groupType, { only: ["members.value"], except: [] })
    const { members: picked } = project({ members })
    expect(picked).toBeInstanceOf(ChunkedReferences)
    if (picked instanceof ChunkedReferences)
      expect([...picked.chunks()].join("")).toBe('[{"value":"1"},{"value":"2"}]')
  })
})

describe("ChunkedReferences", () => {
  it.each([0, 1, 1000, 1001])("serializes %i references in chunks", (count) => {
    const ids = Array.from({ length: count }, (_, index) => `id-${index}`)
    const target = { type: "User", location: `${base}/Users/` }
    const list = ChunkedReferences.of({ ids: ids.join(" ") || null, count }, target)
    expect(JSON.parse([...list.chunks()].join(""))).toEqual(
      ids.map((id) => ({ value: id, $ref: `${base}/Users/${id}`, type: "User" })),
    )
  })
})

describe("sorting", () => {
  const database = createExampleDatabase([
    { id: "1", userName: "b", emails: [{ value: "z" }, { value: "a", primary: true }] },
    { id: "2", userName: "c" },
    { id: "3", userName: "A", title: "T", emails: [{ value: "m", primary: false }] },
  ])
  afterAll(database.close)

  it.each([
    [undefined, false, "1 2 3"],
    ["userName", false, "3 1 2"],
    ["userName", true, "2 1 3"],
    ["title", false, "3 1 2"],
    ["title", true, "1 2 3"],
    ["emails", false, "1 3 2"],
    ["meta.location", true, "3 2 1"],
    ["meta.resourceType", true, "1 2 3"],
    ["locale", false, "1 2 3"],
    ["members", false, "1 2 3"],
  ])("by %s, descending: %s", (sortBy, descending, expected) => {
    const order = createOrderBy(userType, { sortBy, descending }, { base, lenient: true })
    expect(database.select(sql<boolean>`(1 = 1)`, order).join(" ")).toBe(expected)
  })

  it.each(["shoe", "name"])("rejects %s", (sortBy) => {
    const sort = () =>
      createOrderBy(userType, { sortBy, descending: false }, { base, lenient: false })
    expect(sort).toThrow(expect.objectContaining({ scimType: "invalidValue" }))
  })
})

describe("discovery", () => {
  it("describes a resource type", () => {
    expect(resourceTypeJson(userType, base)).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
      id: "User",
      name: "User",
      endpoint: "/Users",
      description: "User Account",
      schema: schemaUrns.user,
      meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/User` },
    })
  })

  it("describes the stored attributes of a schema, except common ones", () => {
    const { attributes, ...schema } = schemaJson(groupType, base)
    expect(schema).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
      id: schemaUrns.group,
      name: "Group",
      description: "Group",
      meta: { resourceType: "Schema", location: `${base}/Schemas/${schemaUrns.group}` },
    })
    expect(attributes).toMatchObject([
      { name: "displayName", type: "string", required: true, caseExact: false, multiValued: false },
      {
        name: "members",
        type: "complex",
        multiValued: true,
        subAttributes: [
          { name: "value", mutability: "immutable", caseExact: true },
          { name: "display", mutability: "readOnly", returned: "request" },
        ],
      },
    ])
  })

  it("wraps resources in a ListResponse", () => {
    expect(listResponse([{ id: "1" }], { total: 3, startIndex: 2 })).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 3,
      startIndex: 2,
      itemsPerPage: 1,
      Resources: [{ id: "1" }],
    })
  })
})

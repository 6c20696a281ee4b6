import { describe, expect, it } from "vitest"
import { groupType, userType } from "../test/example-types.ts"
import { applyPatchOperation } from "./apply-patch-operation.ts"
import type { AttributeValues } from "./attribute-values.ts"
import { IgnoredAttributes } from "./ignored-attributes.ts"
import { parsePatch } from "./patch-request.ts"
import type { ResourceType } from "./resource-type.ts"

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

const patch = (type: ResourceType, before: Record<string, unknown>, ...operations: unknown[]) => {
  const values = new Map(Object.entries(before)) as AttributeValues
  const ignored = new IgnoredAttributes()
  const body = { schemas: [patchUrn], Operations: operations }
  for (const operation of parsePatch(type, body, ignored)) {
    applyPatchOperation(values, operation, ignored)
  }
  return { values: Object.fromEntries(values), ignored: ignored.names() }
}

const patchUser = (before: Record<string, unknown>, ...operations: unknown[]) =>
  patch(userType, before, ...operations).values

const work = { value: "bjensen@example.com", type: "work" }
const home = { value: "babs@jensen.org", type: "home" }
const babs = { display: "Babs Jensen", value: "2819c223-7f76-453a-919d-413861904646" }
const james = { display: "James Smith", value: "08e1d05d-121c-4561-8b96-473d93df9210" }

describe("the examples of RFC 7644 §3.5.2", () => {
  it("adds a member, once", () => {
    const add = { op: "add", path: "members", value: [{ ...babs, $ref: "../Users/1" }] }
    const { values, ignored } = patch(groupType, { members: [] }, add, add)
    expect(values).toEqual({ members: [{ value: babs.value }] })
    expect(ignored).toEqual(["members.$ref"])
  })

  it("adds attributes without a path", () => {
    const value = { emails: [home], nickname: "Babs" }
    expect(patchUser({ emails: [work] }, { op: "add", value })).toEqual({
      emails: [work, home],
      nickName: "Babs",
    })
  })

  it("removes all members, one, or those that match a filter", () => {
    const before = { members: [babs, james] }
    const remove = (path: string) => patch(groupType, before, { op: "remove", path }).values.members
    expect(remove("members")).toEqual([])
    expect(remove(`members[value eq "${babs.value}"]`)).toEqual([james])
    expect(remove('members[display sw "J"]')).toEqual([babs])
    expect(remove('members[value eq "unknown"]')).toEqual([babs, james])
  })

  it("removes emails with two conditions", () => {
    const path = 'emails[type eq "work" and value ew "example.com"]'
    expect(patchUser({ emails: [work, home] }, { op: "remove", path })).toEqual({ emails: [home] })
  })

  it("removes a member and adds another", () => {
    const { values } = patch(
      groupType,
      { members: [babs] },
      { op: "remove", path: `members[value eq "${babs.value}"]` },
      { op: "add", path: "members", value: [{ value: james.value }] },
    )
    expect(values).toEqual({ members: [{ value: james.value }] })
  })

  it("replaces all members", () => {
    const value = [{ value: babs.value }, { value: james.value }]
    const operation = { op: "replace", path: "members", value }
    expect(patch(groupType, { members: [babs] }, operation).values).toEqual({ members: value })
  })

  it("replaces a value, or a sub-attribute, selected by a filter", () => {
    const before = { emails: [{ ...work, display: "B" }, home] }
    const path = 'emails[type eq "work"]'
    const value = { value: "new@example.com", display: "" }
    expect(patchUser(before, { op: "replace", path, value })).toEqual({
      emails: [{ type: "work", value: "new@example.com" }, home],
    })
    expect(patchUser(before, { op: "replace", path: `${path}.display`, value: "C" })).toEqual({
      emails: [{ ...work, display: "C" }, home],
    })
  })

  it("replaces attributes without a path", () => {
    const value = { emails: [{ ...work, primary: true }], nickname: "Babs" }
    expect(patchUser({ emails: [home], title: "Guide" }, { op: "replace", value })).toEqual({
      emails: [{ ...work, primary: true }],
      nickName: "Babs",
      title: "Guide",
    })
  })

  it("clears the previous primary value when there is a new one", () => {
    const before = { emails: [{ ...work, primary: true }] }
    const add = { op: "add", path: "emails", value: [{ ...home, primary: "True" }] }
    expect(patchUser(before, add)).toEqual({
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    })
  })
})

describe("PATCH", () => {
  it("changes sub-attributes of a complex attribute", () => {
    const before = { name: { familyName: "Jensen", givenName: "Barbara" } }
    expect(patchUser(before, { op: "Replace", path: "name.familyName", value: "J" })).toEqual({
      name: { familyName: "J", givenName: "Barbara" },
    })
    expect(patchUser(before, { op: "replace", path: "name", value: { givenName: null } })).toEqual({
      name: { familyName: "Jensen" },
    })
    expect(patchUser(before, { op: "remove", path: "name.givenName" })).toEqual({
      name: { familyName: "Jensen" },
    })
    expect(patchUser(before, { op: "remove", path: "name" })).toEqual({ name: null })
    expect(patchUser(before, { op: "add", value: { "name.givenName": "B" } })).toEqual({
      name: { familyName: "Jensen", givenName: "B" },
    })
  })

  it("removes the values that are sent with the path of a list", () => {
    const before = { emails: [work, home] }
    expect(patchUser(before, { op: "remove", path: "emails", value: [home] })).toEqual({
      emails: [work],
    })
  })

  it("creates the value that a path selects if its type is canonical", () => {
    const path = 'emails[type eq "Work" and primary eq true].value'
    expect(patchUser({ emails: [] }, { op: "add", path, value: "b@example.com" })).toEqual({
      emails: [{ type: "work", primary: true, value: "b@example.com" }],
    })
  })

  it("accepts a qualified name, and the schema itself as a key", () => {
    const { schema } = userType
    expect(patchUser({}, { op: "add", path: `${schema}:nickName`, value: "B" })).toEqual({
      nickName: "B",
    })
    expect(patchUser({}, { op: "add", path: schema, value: { title: "T" } })).toEqual({
      title: "T",
    })
    expect(patchUser({}, { op: "add", value: { [schema]: { title: "T" } } })).toEqual({
      title: "T",
    })
  })

  it("reports attributes that are not stored, and skips read-only ones without a path", () => {
    const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
    const value = { locale: "de", id: "x", shoe: 42, [enterprise]: { department: "Tours" } }
    expect(patch(userType, {}, { op: "add", value }, { op: "remove", path: enterprise })).toEqual({
      values: {},
      ignored: ["locale", "shoe", `${enterprise}:department`, enterprise],
    })
  })

  it.each([
    [{ op: "move", path: "title" }, "invalidSyntax"],
    ["add", "invalidSyntax"],
    [{ op: "add", value: { title: "a", TITLE: "b" } }, "invalidSyntax"],
    [{ op: "add", path: "title" }, "invalidValue"],
    [{ op: "add", value: "x" }, "invalidValue"],
    [{ op: "add", path: "active", value: "maybe" }, "invalidValue"],
    [{ op: "add", path: "title", value: 5 }, "invalidValue"],
    [{ op: "add", path: "title", value: "x".repeat(1001) }, "invalidValue"],
    [{ op: "add", path: "name", value: "x" }, "invalidValue"],
    [{ op: "replace", path: "emails", value: [{ type: "work" }] }, "invalidValue"],
    [{ op: "add", path: 5, value: 42 }, "invalidPath"],
    [{ op: "add", path: "title title", value: "x" }, "invalidPath"],
    [{ op: "add", path: "é", value: "x" }, "invalidPath"],
    [{ op: "add", path: 'title[value eq "x"]', value: "x" }, "invalidPath"],
    [{ op: "add", path: "shoe size", value: 42 }, "invalidPath"],
    [{ op: "add", path: "shoe.a.b", value: 42 }, "invalidPath"],
    [{ op: "add", path: "shoe.", value: 42 }, "invalidPath"],
    [{ op: "add", path: "shoe[", value: 42 }, "invalidPath"],
    [{ op: "add", path: "shoe[]", value: 42 }, "invalidPath"],
    [{ op: "add", path: "shoe[size is 42]", value: 42 }, "invalidPath"],
    [{ op: "add", path: "shoe[size eq 42] x", value: 42 }, "invalidPath"],
    [{ op: "add", path: "urn:", value: 42 }, "invalidPath"],
    [{ op: "add", path: 'emails[type is "work"]', value: {} }, "invalidFilter"],
    [{ op: "replace", path: "id", value: "2" }, "mutability"],
    [{ op: "remove", path: "userName" }, "mutability"],
    [{ op: "remove" }, "noTarget"],
    [{ op: "add", path: "emails.value", value: "x" }, "noTarget"],
    [{ op: "replace", path: 'emails[type eq "other"].value', value: "x" }, "noTarget"],
    [{ op: "replace", path: 'emails[value co "x"].type', value: "work" }, "noTarget"],
    [{ op: "add", path: "emails", value: Array(101).fill(work) }, "tooMany"],
  ])("rejects %j", (operation, scimType) => {
    expect(() => patchUser({ emails: [] }, operation)).toThrow(
      expect.objectContaining({ name: "ScimError", scimType }),
    )
  })

  it.each([
    [[], "invalidSyntax"],
    [{ Operations: [{ op: "remove", path: "title" }] }, "invalidSyntax"],
    [{ schemas: [patchUrn] }, "invalidSyntax"],
    [{ schemas: [patchUrn], Operations: [] }, "invalidSyntax"],
    [{ schemas: [patchUrn], Operations: Array(5001).fill({}) }, "tooMany"],
  ])("rejects a body that is not a PatchOp", (body, scimType) => {
    expect(() => parsePatch(userType, body, new IgnoredAttributes())).toThrow(
      expect.objectContaining({ scimType }),
    )
  })
})

import { expect, it } from "vitest"
import { nextMillisecond } from "../harness/timing.ts"
import { describeScim, patchOpSchema, userSchema } from "./scim-client.ts"

describeScim("PATCH", (client) => {
  const work = { value: "w@p.example", type: "work", primary: true }
  const home = { value: "h@p.example", type: "home" }
  let count = 0
  const createFreshUser = (more: Record<string, unknown> = {}) =>
    client().createUser(`patched${count++}`, more)

  it("requires its schema and at least one operation", async () => {
    const { id } = await createFreshUser()
    const op = { op: "add", path: "nickName", value: "x" }
    for (const body of [
      { Operations: [op] },
      { schemas: [userSchema], Operations: [op] },
      { schemas: [patchOpSchema] },
      { schemas: [patchOpSchema], Operations: [] },
      { schemas: [patchOpSchema], Operations: {} },
      { schemas: [patchOpSchema], Operations: ["add"] },
      { schemas: [patchOpSchema], Operations: [{ ...op, op: "move" }] },
      [],
    ]) {
      const answer = await client().call("PATCH", `/Users/${id}`, body)
      expect(answer).toMatchObject({ status: 400, body: { scimType: "invalidSyntax" } })
    }
    expect((await client().call("GET", `/Users/${id}`)).body).not.toHaveProperty("nickName")
  })

  it.each([
    ["remove without a path", { op: "remove" }, "noTarget"],
    ["removing a required attribute", { op: "remove", path: "userName" }, "mutability"],
    [
      "replacing a required attribute with null",
      { op: "replace", path: "userName", value: null },
      "mutability",
    ],
    ["changing id", { op: "replace", path: "id", value: "x" }, "mutability"],
    ["changing meta", { op: "replace", path: "meta.created", value: "x" }, "mutability"],
    ["changing groups", { op: "add", path: "groups", value: [{ value: "x" }] }, "mutability"],
    ["removing some groups", { op: "remove", path: 'groups[value eq "x"]' }, "mutability"],
    ["a truncated path", { op: "add", path: 'emails[type eq "work"', value: "x" }, "invalidFilter"],
    ["a path with a stray bracket", { op: "add", path: "nickName]", value: "x" }, "invalidPath"],
    ["a path that is not a string", { op: "add", path: 5, value: "x" }, "invalidPath"],
    [
      "a filter on a single-valued attribute",
      { op: "add", path: 'name[givenName eq "x"]', value: "x" },
      "invalidPath",
    ],
    ["add without a value", { op: "add", path: "nickName" }, "invalidValue"],
    ["replace without path and object", { op: "replace", value: "x" }, "invalidValue"],
    ["a value of another type", { op: "add", path: "active", value: "maybe" }, "invalidValue"],
    ["a list for a single value", { op: "add", path: "nickName", value: ["x"] }, "invalidValue"],
    ["an invalid userName", { op: "replace", path: "userName", value: "x" }, "invalidValue"],
    [
      "replacing a value that does not exist",
      { op: "replace", path: 'emails[value eq "no"].display', value: "x" },
      "noTarget",
    ],
  ])("rejects %s", async (_, operation, scimType) => {
    const { id } = await createFreshUser()
    const answer = await client().patch(`/Users/${id}`, operation)
    expect(answer).toMatchObject({ status: 400, body: { scimType } })
  })

  it("applies all operations or none", async () => {
    const made = await createFreshUser({ emails: [work] })
    const refused = await client().patch(
      `/Users/${made.id}`,
      { op: "replace", path: "displayName", value: "Half" },
      { op: "remove", path: "emails" },
      { op: "replace", path: "active", value: false },
      { op: "remove", path: "userName" },
    )
    expect(refused.status).toBe(400)
    expect((await client().call("GET", `/Users/${made.id}`)).body).toEqual(made)
    const group = await client().createGroup("All or nothing", [made.id])
    const half = await client().patch(
      `/Groups/${group.id}`,
      { op: "remove", path: "members" },
      { op: "add", path: "members", value: [{ value: "nobody" }] },
    )
    expect(half.status).toBe(400)
    expect((await client().call("GET", `/Groups/${group.id}`)).body).toEqual(group)
  })

  it("applies each operation to the result of the one before", async () => {
    const { id } = await createFreshUser({ emails: [] })
    const { body } = await client().patch(
      `/Users/${id}`,
      { op: "add", path: "emails", value: [home] },
      { op: "replace", path: 'emails[type eq "home"].value', value: "new@p.example" },
      { op: "add", path: "emails", value: [work] },
      { op: "remove", path: 'emails[value eq "new@p.example"]' },
    )
    expect(body.emails).toEqual([work])
  })

  it("leaves lastModified unchanged when it adds existing values", async () => {
    const made = await createFreshUser({ emails: [work, home], nickName: "N" })
    await nextMillisecond()
    const same = await client().patch(
      `/Users/${made.id}`,
      { op: "add", path: "emails", value: [home] },
      { op: "add", value: { nickName: "N" } },
    )
    expect(same.body).toEqual(made)
    const group = await client().createGroup("Unchanged", [made.id])
    await nextMillisecond()
    const add = { op: "add", path: "members", value: [{ value: made.id }] }
    const unchanged = await client().patch(`/Groups/${group.id}`, add)
    expect(unchanged.body).toEqual(group)
    const changed = await client().patch(`/Users/${made.id}`, { op: "remove", path: "nickName" })
    expect(changed.body.meta.lastModified > made.meta.lastModified).toBe(true)
  })

  it("adds the value if the target of a replace is absent", async () => {
    const { id } = await createFreshUser()
    const { body } = await client().patch(`/Users/${id}`, {
      op: "replace",
      path: "nickName",
      value: "New",
    })
    expect(body.nickName).toBe("New")
  })

  it("merges a complex value's sub-attributes, and clears those set to null", async () => {
    const { id } = await createFreshUser({ name: { givenName: "Ada", familyName: "King" } })
    const one = await client().patch(`/Users/${id}`, {
      op: "replace",
      path: "name",
      value: { familyName: "Lovelace" },
    })
    expect(one.body.name).toEqual({ givenName: "Ada", familyName: "Lovelace" })
    const two = await client().patch(`/Users/${id}`, {
      op: "replace",
      value: { name: { givenName: null } },
    })
    expect(two.body.name).toEqual({ familyName: "Lovelace" })
    const three = await client().patch(`/Users/${id}`, { op: "remove", path: "name" })
    expect(three.body).not.toHaveProperty("name")
  })

  it("unsets the previous primary value when another becomes primary", async () => {
    const { id } = await createFreshUser({ emails: [work, home] })
    const op = { op: "replace", path: 'emails[type eq "home"].primary', value: true }
    const { body } = await client().patch(`/Users/${id}`, op)
    expect(body.emails).toEqual([
      { ...work, primary: false },
      { ...home, primary: true },
    ])
    const third = { value: "t@p.example", type: "other", primary: true }
    const added = await client().patch(`/Users/${id}`, {
      op: "add",
      path: "emails",
      value: [third],
    })
    expect(added.body.emails.filter((email: { primary: boolean }) => email.primary)).toEqual([
      third,
    ])
  })

  it("removes values by filter, by list, and all of them", async () => {
    const { id } = await createFreshUser({ emails: [work, home] })
    const first = await client().patch(`/Users/${id}`, {
      op: "remove",
      path: 'emails[type eq "WORK"]',
    })
    expect(first.body.emails).toMatchObject([home])
    const other = { op: "remove", path: "emails", value: [{ value: "nobody@p.example" }] }
    expect((await client().patch(`/Users/${id}`, other)).body.emails).toMatchObject([home])
    const own = { op: "remove", path: "emails", value: [{ value: home.value }] }
    expect((await client().patch(`/Users/${id}`, own)).body).not.toHaveProperty("emails")
  })

  it("accepts core paths with their URN, and returns the requested attributes", async () => {
    const { id } = await createFreshUser()
    const Operations = [
      { op: "add", path: `${userSchema}:nickName`, value: "U" },
      { op: "replace", path: `${userSchema.toUpperCase()}:name.givenName`, value: "Urna" },
      { op: "add", path: userSchema, value: { displayName: "Urna U." } },
    ]
    const { status, body } = await client().call(
      "PATCH",
      `/Users/${id}?attributes=nickName,name.givenName`,
      {
        schemas: [patchOpSchema],
        Operations,
      },
    )
    expect(status).toBe(200)
    expect(body).toEqual({ schemas: [userSchema], id, nickName: "U", name: { givenName: "Urna" } })
  })

  it("accepts a path to a member's display, which keeps following the user's name", async () => {
    const { id } = await createFreshUser()
    const group = await client().createGroup("Displayed", [id])
    const patch = (path: string) =>
      client().patch(`/Groups/${group.id}`, { op: "replace", path, value: "Other" })
    expect((await patch(`members[value eq "${id}"].display`)).status).toBe(200)
    expect(await patch('members[value eq "no"].display')).toMatchObject({
      status: 400,
      body: { scimType: "noTarget" },
    })
    expect(await patch(`members[value eq "${id}"].value`)).toMatchObject({
      status: 400,
      body: { scimType: "mutability" },
    })
    const named = { op: "remove", path: 'members[display sw "patched" and type eq "User"]' }
    expect((await client().patch(`/Groups/${group.id}`, named)).body.members).toEqual([])
  })

  it("removes all members of a group, but never its name", async () => {
    const { id } = await createFreshUser()
    const group = await client().createGroup("Emptied", [id])
    const path = `/Groups/${group.id}`
    expect((await client().patch(path, { op: "remove", path: "members" })).body.members).toEqual([])
    expect(await client().patch(path, { op: "remove", path: "displayName" })).toMatchObject({
      status: 400,
      body: { scimType: "mutability" },
    })
  })

  it("returns 404 for unknown users and groups", async () => {
    const op = { op: "add", path: "externalId", value: "x" }
    for (const path of ["/Users/none", "/Groups/none"]) {
      expect(await client().patch(path, op)).toMatchObject({ status: 404, body: { status: "404" } })
    }
  })
})

import { expect, it } from "vitest"
import { describeScim, enterpriseUserSchema, userSchema } from "./scim-client.ts"

describeScim("Microsoft Entra ID, patching", (client) => {
  it("E7 may write Add, Replace and Remove in any case", async () => {
    const { id } = await client().createUser("egon")
    const { status, body } = await client().patch(
      `/Users/${id}`,
      { op: "Add", path: "nickName", value: "Eggi" },
      { op: "Replace", path: "displayName", value: "Egon E." },
      { op: "REMOVE", path: "name.familyName" },
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({ nickName: "Eggi", displayName: "Egon E." })
    expect(body.name).toEqual({ givenName: "egon" })
  })

  it("E9 replaces without a path, with dotted and URN-qualified keys", async () => {
    const { id } = await client().createUser("enno")
    const { status, body } = await client().patch(`/Users/${id}`, {
      op: "replace",
      value: {
        displayName: "Enno New",
        "name.givenName": "Enno",
        "name.familyName": "New",
        [`${enterpriseUserSchema}:employeeNumber`]: "701984",
        [`${userSchema}:nickName`]: "Enn",
      },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      displayName: "Enno New",
      name: { givenName: "Enno", familyName: "New" },
      nickName: "Enn",
    })
  })

  it("E10 replaces the work e-mail of a user without one, which creates it", async () => {
    const { id } = await client().createUser("esra", { emails: [] })
    const path = 'emails[type eq "work"].value'
    const made = await client().patch(`/Users/${id}`, {
      op: "Replace",
      path,
      value: "esra@e.example",
    })
    expect(made.status).toBe(200)
    expect(made.body.emails).toMatchObject([{ value: "esra@e.example", type: "work" }])
    const odd = { op: "Replace", path: 'emails[type eq "boat"].value', value: "x@e.example" }
    const refused = await client().patch(`/Users/${id}`, odd)
    expect(refused).toMatchObject({ status: 400, body: { scimType: "noTarget" } })
  })

  it("E11 adds the work e-mail to a user without one", async () => {
    const { id } = await client().createUser("emmy", { emails: [] })
    const path = 'emails[type eq "work"].value'
    const { body } = await client().patch(`/Users/${id}`, {
      op: "Add",
      path,
      value: "em@e.example",
    })
    expect(body.emails).toMatchObject([{ value: "em@e.example", type: "work" }])
  })

  it("E12 adds several sub-attributes in one request, which form one value", async () => {
    const { id } = await client().createUser("erna", { emails: [] })
    const { status, body } = await client().patch(
      `/Users/${id}`,
      { op: "Add", path: 'addresses[type eq "work"].formatted', value: "1 Quay" },
      { op: "Add", path: 'addresses[type eq "work"].locality', value: "Hull" },
      { op: "Add", path: 'emails[type eq "work"].display', value: "Erna at work" },
      { op: "Add", path: 'emails[type eq "work"].value', value: "erna@e.example" },
    )
    expect(status).toBe(200)
    expect(body.emails).toEqual([
      { value: "erna@e.example", type: "work", display: "Erna at work", primary: false },
    ])
  })

  it("E13 replaces one value and leaves the others unchanged", async () => {
    const emails = [
      { value: "w@e.example", type: "work", primary: true },
      { value: "h@e.example", type: "home" },
    ]
    const { id } = await client().createUser("ewald", { emails })
    const op = { op: "Replace", path: 'emails[type eq "work"].value', value: "w2@e.example" }
    const { body } = await client().patch(`/Users/${id}`, op)
    expect(body.emails).toMatchObject([
      { value: "w2@e.example", type: "work", primary: true },
      { value: "h@e.example", type: "home" },
    ])
  })

  it("E14 may quote a Boolean in a path", async () => {
    const { id } = await client().createUser("ezra")
    const { status, body } = await client().patch(
      `/Users/${id}`,
      { op: "Replace", path: 'roles[primary eq "True"].value', value: "User" },
      { op: "Replace", path: 'emails[primary eq "True"].value', value: "ez@e.example" },
    )
    expect(status).toBe(200)
    expect(body.emails).toMatchObject([{ value: "ez@e.example", primary: true }])
    expect(body).not.toHaveProperty("roles")
  })

  it("E15 replaces the primary e-mail", async () => {
    const { id } = await client().createUser("edgar")
    const op = { op: "Replace", path: "emails[primary eq true].value", value: "ed@e.example" }
    const { body } = await client().patch(`/Users/${id}`, op)
    expect(body.emails).toMatchObject([{ value: "ed@e.example", type: "work", primary: true }])
  })

  it("E16 removes only the given members, by value and by filter", async () => {
    const ids = []
    for (const name of ["em1", "em2", "em3"]) ids.push((await client().createUser(name)).id)
    const { id } = await client().createGroup("Entra members", ids)
    const byValue = { op: "Remove", path: "members", value: [{ $ref: null, value: ids[0] }] }
    const first = await client().patch(`/Groups/${id}`, byValue)
    expect(first.body.members).toMatchObject([{ value: ids[1] }, { value: ids[2] }])
    const byFilter = { op: "remove", path: `members[value eq "${ids[1]}"]` }
    const second = await client().patch(`/Groups/${id}`, byFilter)
    expect(second.body.members).toMatchObject([{ value: ids[2] }])
  })

  it("E17 adds members with an empty $ref", async () => {
    const user = await client().createUser("eike")
    const { id } = await client().createGroup("Entra adds")
    const value = [{ $ref: null, value: user.id }]
    const { body } = await client().patch(`/Groups/${id}`, { op: "Add", path: "members", value })
    expect(body.members).toMatchObject([{ value: user.id, type: "User" }])
  })

  it("E22 has one work e-mail after setting it twice", async () => {
    const { id } = await client().createUser("eddie", { emails: [] })
    const path = 'emails[type eq "work"].value'
    await client().patch(`/Users/${id}`, { op: "Add", path, value: "one@e.example" })
    const { body } = await client().patch(`/Users/${id}`, {
      op: "Add",
      path,
      value: "two@e.example",
    })
    expect(body.emails).toMatchObject([{ value: "two@e.example", type: "work" }])
  })

  it("E23 removes nickName and manager, and sends a manager as a string", async () => {
    const { id } = await client().createUser("elmar", { nickName: "Elm" })
    const manager = `${enterpriseUserSchema}:manager`
    const { status, body } = await client().patch(
      `/Users/${id}`,
      { op: "Remove", path: "nickName" },
      { op: "Remove", path: manager },
      { op: "Replace", path: manager, value: "" },
      { op: "Add", path: manager, value: "26118915" },
    )
    expect(status).toBe(200)
    expect(body).not.toHaveProperty("nickName")
  })

  it("E25 may send members as plain ids, or with a displayName that is ignored", async () => {
    const [one, two] = [await client().createUser("eb1"), await client().createUser("eb2")]
    const { id } = await client().createGroup("Entra bare")
    const add = { op: "Add", path: "members", value: [one.id] }
    expect((await client().patch(`/Groups/${id}`, add)).status).toBe(200)
    const named = [{ value: two.id, displayName: "Two" }]
    await client().patch(`/Groups/${id}`, { op: "Add", path: "members", value: named })
    const remove = { op: "Remove", path: "members", value: [one.id] }
    const { body } = await client().patch(`/Groups/${id}`, remove)
    expect(body.members).toMatchObject([{ value: two.id }])
  })

  it("E26 succeeds in removing members that do not exist", async () => {
    const { id } = await client().createGroup("Entra idempotent")
    const removed = await client().patch(
      `/Groups/${id}`,
      { op: "Remove", path: 'members[value eq "nobody"]' },
      { op: "Remove", path: "members", value: [{ value: "nobody" }] },
    )
    expect(removed).toMatchObject({ status: 200, body: { members: [] } })
  })
})

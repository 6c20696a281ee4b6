import { expect, it } from "vitest"
import {
  describeScim,
  enterpriseUserSchema,
  groupSchema,
  patchOpSchema,
  userSchema,
} from "./scim-client.ts"

const entraUser = (name: string) => ({
  schemas: [userSchema, enterpriseUserSchema],
  externalId: `${name}-object-id`,
  userName: `${name}@entra.example`,
  active: true,
  displayName: `${name} Entra`,
  emails: [{ primary: true, type: "work", value: `${name}@entra.example` }],
  meta: { resourceType: "User" },
  name: { formatted: `${name} Entra`, familyName: "Entra", givenName: name },
  roles: [],
})

describeScim("Microsoft Entra ID", (client) => {
  it("E1 tests the connection with an unknown user and group, and gets empty lists", async () => {
    const user = await client().find("Users", 'userName eq "b7c1a5f2-4b1e@nowhere.example"')
    const group = await client().find("Groups", 'displayName eq "b7c1a5f2-4b1e"')
    for (const { status, body } of [user, group]) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ totalResults: 0, Resources: [] })
    }
  })

  it("E2 matches on userName, externalId, the work e-mail and displayName", async () => {
    const { body } = await client().call("POST", "/Users", entraUser("emil"))
    const group = await client().createGroup("Entra matched", [], { externalId: "Entra-Group-1" })
    for (const filter of [
      'userName eq "emil@entra.example"',
      'externalId eq "emil-object-id"',
      'emails[type eq "work"].value eq "emil@entra.example"',
      'userName eq "emil@entra.example" and externalId eq "emil-object-id"',
    ]) {
      expect((await client().find("Users", filter)).body.Resources).toMatchObject([{ id: body.id }])
    }
    for (const filter of ['displayName eq "Entra matched"', 'externalId eq "Entra-Group-1"']) {
      const found = await client().find("Groups", filter)
      expect(found.body.Resources).toMatchObject([{ id: group.id }])
    }
    const other = await client().find(
      "Users",
      'emails[type eq "home"].value eq "emil@entra.example"',
    )
    expect(other.body.totalResults).toBe(0)
  })

  it("E2 gets 400 for a filter with an unquoted value", async () => {
    const { status, body } = await client().find("Users", "externalId eq jyoung")
    expect(status).toBe(400)
    expect(body.scimType).toBe("invalidFilter")
  })

  it("E3 creates a user with the enterprise schema, nulls and unknown attributes", async () => {
    const plain = await client().call("POST", "/Users", entraUser("eva"))
    expect(plain).toMatchObject({ status: 201, body: { externalId: "eva-object-id" } })
    expect(plain.body.schemas).toEqual([userSchema])
    const odd = await client().call("POST", "/Users", {
      ...entraUser("edda"),
      schemas: [userSchema, "urn:ietf:params:scim:schemas:extension:enterprise:2.0User"],
      addresses: null,
      phoneNumbers: null,
      title: null,
      manager: null,
      department: "Ships",
      [enterpriseUserSchema]: { department: "Ships", manager: { value: "1" } },
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0User": { costCenter: "7" },
    })
    expect(odd.status).toBe(201)
    for (const absent of ["addresses", "title", "manager", "department", enterpriseUserSchema]) {
      expect(odd.body).not.toHaveProperty([absent])
    }
  })

  it("E4 creates a group with a Microsoft-specific schema and no members", async () => {
    const own = "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"
    const { status, body } = await client().call("POST", "/Groups", {
      schemas: [groupSchema, own],
      externalId: "8aa1a0c0",
      displayName: "Entra created",
      meta: { resourceType: "Group" },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ displayName: "Entra created", externalId: "8aa1a0c0" })
  })

  it("E5 gets 409 for a displayName in use, whatever its case", async () => {
    await client().createGroup("Entra twice")
    const duplicate = await client().call("POST", "/Groups", { displayName: "entra TWICE" })
    expect(duplicate).toMatchObject({ status: 409, body: { scimType: "uniqueness" } })
  })

  it("E6 reads groups without their members", async () => {
    const { id } = await client().createUser("ella")
    const group = await client().createGroup("Entra slim", [id])
    const one = await client().call("GET", `/Groups/${group.id}?excludedAttributes=members`)
    const found = await client().find(
      "Groups",
      'displayName eq "Entra slim"',
      "&excludedAttributes=members",
    )
    for (const slim of [one.body, found.body.Resources[0]]) {
      expect(slim).toMatchObject({ id: group.id, displayName: "Entra slim" })
      expect(slim).not.toHaveProperty("members")
    }
  })

  it("E8 deactivates with a string or a Boolean, in PATCH and POST", async () => {
    const { id } = await client().createUser("elsa")
    const off = { op: "Replace", path: "active", value: "False" }
    expect((await client().patch(`/Users/${id}`, off)).body.active).toBe(false)
    const on = { op: "Replace", path: "active", value: "True" }
    expect((await client().patch(`/Users/${id}`, on)).body.active).toBe(true)
    expect((await client().patch(`/Users/${id}`, { ...off, value: false })).body.active).toBe(false)
    const made = await client().call("POST", "/Users", {
      ...entraUser("eric"),
      active: "True",
      emails: [{ primary: "True", type: "work", value: "eric@entra.example" }],
      roles: [{ primary: "true", value: "admin" }],
    })
    expect(made.body).toMatchObject({ active: true, emails: [{ primary: true }] })
  })

  it("E18 gets the resource from a PATCH, without excluded attributes", async () => {
    const { id } = await client().createGroup("Entra replies")
    const Operations = [{ op: "Replace", path: "displayName", value: "Entra replied" }]
    const path = `/Groups/${id}?excludedAttributes=members`
    const { status, body } = await client().call("PATCH", path, {
      schemas: [patchOpSchema],
      Operations,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, displayName: "Entra replied" })
    expect(body).not.toHaveProperty("members")
  })

  it("E19 can still read a deactivated user; a hard DELETE returns 204", async () => {
    const { id } = await client().createUser("esther")
    await client().patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" })
    const disabled = await client().call("GET", `/Users/${id}`)
    expect(disabled).toMatchObject({ status: 200, body: { id, active: false } })
    expect(await client().call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204, body: "" })
  })

  it("E20 reads back values exactly as sent", async () => {
    const sent = {
      userName: "Mixed.Case+Tag@Entra.Example",
      displayName: "  Ünïcödé  ﬁ ",
      externalId: "AbC-1",
      emails: [{ value: "Mixed.Case@Entra.Example", type: "Work", primary: true }],
    }
    const made = await client().call("POST", "/Users", sent)
    expect(made).toMatchObject({ status: 201, body: sent })
    expect((await client().call("GET", `/Users/${made.body.id}`)).body).toMatchObject(sent)
  })

  it("E21 reads the schemas as a list without nulls", async () => {
    const { status, body } = await client().call("GET", "/Schemas")
    expect(status).toBe(200)
    expect(body).toMatchObject({ totalResults: 2, itemsPerPage: 2 })
    expect(JSON.stringify(body)).not.toContain("null")
    const [{ attributes }] = body.Resources
    expect(attributes[0]).toMatchObject({ mutability: "readWrite", returned: "default" })
  })

  it("E24 always gets application/scim+json, including for errors", async () => {
    const { id } = await client().createUser("elke")
    const answers = [
      await client().call("GET", "/Users"),
      await client().call("GET", "/Users/none"),
      await client().call("POST", "/Users", { userName: "no address" }),
      await client().call("GET", "/Users", undefined, { key: "wrong" }),
      await client().patch(`/Users/${id}`, { op: "replace", path: "nickName", value: "x" }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 401, 200])
    for (const { headers } of answers) {
      expect(headers.get("content-type")).toMatch(/^application\/scim\+json/)
    }
  })
})

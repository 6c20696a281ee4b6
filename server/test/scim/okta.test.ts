import { expect, it } from "vitest"
import { adminEmail } from "../harness/gateway.ts"
import { measureMinMs } from "../harness/timing.ts"
import {
  describeScim,
  errorSchema,
  groupSchema,
  listResponseSchema,
  userSchema,
} from "./scim-client.ts"

const oktaHeaders = {
  "user-agent": "Okta SCIM Client 1.0.0",
  accept: "application/scim+json; charset=utf-8",
}

/** A user as Okta sends it, with all its unsolicited attributes. */
const oktaUser = (name: string) => ({
  schemas: [userSchema],
  userName: `${name}@okta.example`,
  name: { givenName: name, familyName: "Okta" },
  emails: [{ primary: true, value: `${name}@okta.example`, type: "work" }],
  displayName: `${name} Okta`,
  locale: "en-US",
  externalId: `00u${name}`,
  groups: [],
  password: "1mz050nq",
  active: true,
})

describeScim("Okta", (client) => {
  it("O1 finds a complete user at the start of the list", async () => {
    const { status, body } = await client().call("GET", "/Users?count=1&startIndex=1")
    expect(status).toBe(200)
    expect(body).toMatchObject({ schemas: [listResponseSchema], startIndex: 1, itemsPerPage: 1 })
    expect(body.totalResults).toEqual(expect.any(Number))
    expect(body.Resources[0]).toMatchObject({
      id: expect.any(String),
      userName: adminEmail,
      active: true,
      name: { givenName: expect.any(String), familyName: expect.any(String) },
      emails: [{ value: adminEmail }],
    })
  })

  it("O2 reads the first user by id", async () => {
    const { body } = await client().call("GET", "/Users?count=1&startIndex=1")
    const [first] = body.Resources
    const read = await client().call("GET", `/Users/${first.id}`)
    expect(read).toMatchObject({ status: 200, body: first })
  })

  it("O3 gets an empty list, not an error, for an unknown userName", async () => {
    const { status, body } = await client().find("Users", 'userName eq "nobody"')
    expect(status).toBe(200)
    expect(body).toMatchObject({ schemas: [listResponseSchema], totalResults: 0, Resources: [] })
  })

  it("O4 gets a SCIM error for an unknown user", async () => {
    const { status, body } = await client().call("GET", "/Users/010101001010101011001010101011")
    expect(status).toBe(404)
    expect(body).toEqual({ schemas: [errorSchema], status: "404", detail: expect.any(String) })
  })

  it("O5 checks for a user before creating it", async () => {
    const filter = "/Users?filter=userName%20eq%20%22x%40okta.example%22&startIndex=1&count=100"
    const { status, body } = await client().call("GET", filter, undefined, { headers: oktaHeaders })
    expect(status).toBe(200)
    expect(body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0 })
  })

  it("O6 creates a user as application/json, with an unsolicited password and groups", async () => {
    const headers = { ...oktaHeaders, "content-type": "application/json" }
    const sent = oktaUser("otto")
    const { status, body } = await client().call("POST", "/Users", sent, { headers })
    expect(status).toBe(201)
    const { userName, name, emails, displayName, externalId, active } = sent
    expect(body).toMatchObject({ userName, name, emails, displayName, externalId, active })
    expect(body).not.toHaveProperty("password")
    expect(body).not.toHaveProperty("groups")
    expect(body).not.toHaveProperty("locale")
  })

  it("O7 gets 409 for an existing userName, and a body for a new one", async () => {
    const first = await client().call("POST", "/Users", oktaUser("olga"))
    expect(first.status).toBe(201)
    expect(first.body.id).toEqual(expect.any(String))
    const second = await client().call("POST", "/Users", oktaUser("olga"))
    expect(second.status).toBe(409)
    expect(second.body).toMatchObject({
      schemas: [errorSchema],
      status: "409",
      scimType: "uniqueness",
    })
  })

  it("O8 finds a userName in another case", async () => {
    await client().call("POST", "/Users", oktaUser("ova"))
    const { body } = await client().find("Users", 'userName eq "OVA@OKTA.EXAMPLE"')
    expect(body).toMatchObject({ totalResults: 1, Resources: [{ userName: "ova@okta.example" }] })
  })

  it("O9 is rejected with an invalid token", async () => {
    const headers = { authorization: "non-token" }
    const { status, body } = await client().call("GET", "/Users", undefined, { key: null, headers })
    expect(status).toBe(401)
    expect(body).toEqual({ schemas: [errorSchema], status: "401", detail: expect.any(String) })
  })

  it("O10 lists groups quickly", async () => {
    const { status, body } = await client().call("GET", "/Groups")
    expect(status).toBe(200)
    expect(body.schemas).toEqual([listResponseSchema])
    expect(await measureMinMs(() => client().call("GET", "/Groups"))).toBeLessThan(600)
  })

  it("O11 updates with GET and PUT of the whole object", async () => {
    const made = await client().createUser("orla", { locale: "en" })
    await client().createGroup("Okta readers", [made.id])
    const { body: got } = await client().call("GET", `/Users/${made.id}`)
    const whole = {
      ...got,
      name: { ...got.name, familyName: "Married", middleName: "" },
      emails: [{ ...got.emails[0], display: "orla@example.org" }],
    }
    const { status, body } = await client().call("PUT", `/Users/${made.id}`, whole)
    expect(status).toBe(200)
    const { meta, ...rest } = whole
    expect(body).toMatchObject({ ...rest, name: { givenName: "orla", familyName: "Married" } })
    const deactivated = await client().call("PUT", `/Users/${made.id}`, { ...body, active: false })
    expect(deactivated.body).toMatchObject({ active: false, userName: made.userName })
  })

  it("O12 deactivates with a PATCH without a path", async () => {
    const { id } = await client().createUser("ona")
    const deactivated = await client().patch(`/Users/${id}`, {
      op: "replace",
      value: { active: false },
    })
    expect(deactivated).toMatchObject({ status: 200, body: { id, active: false } })
  })

  it("O13 reactivates with a PATCH without a path", async () => {
    const { id } = await client().createUser("oda", { active: false })
    const activated = await client().patch(`/Users/${id}`, {
      op: "replace",
      value: { active: true },
    })
    expect(activated).toMatchObject({ status: 200, body: { id, active: true } })
  })

  it("O14 can still find users it deactivated, as it never deletes", async () => {
    const { id, userName } = await client().createUser("oto")
    await client().patch(`/Users/${id}`, { op: "replace", value: { active: false } })
    const found = await client().find("Users", `userName eq "${userName}"`)
    expect(found.body.Resources).toMatchObject([{ id, active: false }])
  })

  it("O15 imports page by page, each user once", async () => {
    for (let index = 0; index < 7; index++) await client().createUser(`import${index}`)
    const seen: string[] = []
    let total = 1
    for (let startIndex = 1; startIndex <= total; startIndex += 3) {
      const { body } = await client().call("GET", `/Users?startIndex=${startIndex}&count=3`)
      expect(body).toMatchObject({ startIndex, itemsPerPage: body.Resources.length })
      seen.push(...body.Resources.map(({ id }: { id: string }) => id))
      total = body.totalResults
    }
    expect(seen).toHaveLength(total)
    expect(new Set(seen).size).toBe(total)
  })

  it("O16 creates a group", async () => {
    const sent = { schemas: [groupSchema], displayName: "Okta pushed", members: [] }
    const { status, body } = await client().call("POST", "/Groups", sent)
    expect(status).toBe(201)
    expect(body).toMatchObject({ displayName: "Okta pushed", id: expect.any(String) })
  })

  it("O17 renames a group with its id next to the name", async () => {
    const { id } = await client().createGroup("Okta before")
    const renamed = await client().patch(`/Groups/${id}`, {
      op: "replace",
      value: { id, displayName: "Okta after" },
    })
    expect(renamed).toMatchObject({ status: 200, body: { id, displayName: "Okta after" } })
  })

  it("O18 removes one member and adds another in one PATCH", async () => {
    const [leaving, joining] = [
      await client().createUser("oleave"),
      await client().createUser("ojoin"),
    ]
    const { id } = await client().createGroup("Okta mixed", [leaving.id])
    const { body } = await client().patch(
      `/Groups/${id}`,
      { op: "remove", path: `members[value eq "${leaving.id}"]` },
      { op: "add", path: "members", value: [{ value: joining.id, display: joining.userName }] },
    )
    expect(body.members).toMatchObject([{ value: joining.id }])
  })

  it("O19 replaces all members, and removes them all", async () => {
    const [one, two] = [await client().createUser("orep1"), await client().createUser("orep2")]
    const { id } = await client().createGroup("Okta replaced", [one.id])
    const value = [{ value: two.id, display: "two" }]
    const replaced = await client().patch(`/Groups/${id}`, {
      op: "replace",
      path: "members",
      value,
    })
    expect(replaced.body.members).toMatchObject([{ value: two.id }])
    const emptied = await client().call("PUT", `/Groups/${id}`, {
      displayName: "Okta replaced",
      members: null,
    })
    expect(emptied.body.members ?? []).toEqual([])
  })

  it("O20 deletes a group", async () => {
    const { id } = await client().createGroup("Okta gone")
    const deleted = await client().call("DELETE", `/Groups/${id}`)
    expect(deleted).toMatchObject({ status: 204, body: "" })
    expect(await client().call("GET", `/Groups/${id}`)).toMatchObject({ status: 404 })
  })
})

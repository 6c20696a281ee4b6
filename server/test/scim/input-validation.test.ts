import { beforeAll, describe, expect, it } from "vitest"
import { describeScim, errorSchema } from "./scim-client.ts"

const unstorable = ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00x"]

describeScim("Input validation", (client) => {
  let id: string
  const readUser = async () => (await client().call("GET", `/Users/${id}`)).body
  const rejectedWith = (scimType: string) => ({
    status: 400,
    body: { schemas: [errorSchema], status: "400", scimType },
  })

  beforeAll(async () => {
    id = (await client().createUser("strict")).id
  })

  describe("text that no database can store", () => {
    it.each(unstorable)("is rejected in a filter: %s", async (text) => {
      for (const filter of [
        `userName eq "${text}"`,
        `externalId sw "${text}"`,
        `emails[type eq "${text}"]`,
        `not (displayName co "${text}") or userName pr`,
        `meta.location eq "${text}"`,
      ]) {
        expect(await client().find("Users", filter)).toMatchObject(rejectedWith("invalidFilter"))
        const body = { schemas: [], filter }
        const searched = await client().call("POST", "/Users/.search", body)
        expect(searched).toMatchObject(rejectedWith("invalidFilter"))
      }
      const members = await client().find("Groups", `members[value eq "${text}"]`)
      expect(members).toMatchObject(rejectedWith("invalidFilter"))
    })

    it.each(unstorable)("is rejected in a PATCH path: %s", async (text) => {
      const group = await client().createGroup(`Strict ${text.length} ${unstorable.indexOf(text)}`)
      for (const op of ["add", "replace", "remove"]) {
        const operation = { op, path: `members[value eq "${text}"]`, value: [] }
        const answer = await client().patch(`/Groups/${group.id}`, operation)
        expect(answer).toMatchObject(rejectedWith("invalidPath"))
        const email = { op, path: `emails[type eq "${text}"].value`, value: "x" }
        expect(await client().patch(`/Users/${id}`, email)).toMatchObject(
          rejectedWith("invalidPath"),
        )
      }
    })

    it.each(["%00", "a%00", "%ED%A0%80"])("matches no resource: %s", async (name) => {
      for (const endpoint of ["Users", "Groups"]) {
        const { status } = await client().call("GET", `/${endpoint}/${name}`)
        expect(status).toBe(404)
      }
    })
  })

  describe("an empty filter", () => {
    it.each(["", "%20", "+", "%09"])("is rejected: ?filter=%s", async (filter) => {
      for (const name of ["filter", "Filter", "FILTER"]) {
        for (const endpoint of ["/Users", "/Groups"]) {
          const answer = await client().call("GET", `${endpoint}?${name}=${filter}`)
          expect(answer).toMatchObject(rejectedWith("invalidFilter"))
        }
      }
    })

    it.each([[""], ["  "], [[]], [{}], [0], [false]])(
      "is rejected: %j in a search",
      async (filter) => {
        for (const path of ["/Users/.search", "/Groups/.search", "/.search"]) {
          const answer = await client().call("POST", path, { schemas: [], filter })
          expect(answer).toMatchObject(rejectedWith("invalidFilter"))
        }
      },
    )

    it("is recognized whatever the case of its parameter, which may occur only once", async () => {
      const found = await client().call("GET", "/Users?FILTER=userName%20eq%20%22nobody%22")
      expect(found.body.totalResults).toBe(0)
      const pr = "userName%20pr"
      const twice = await client().call("GET", `/Users?filter=${pr}&filter=${pr}`)
      expect(twice).toMatchObject(rejectedWith("invalidSyntax"))
      const both = { schemas: [], filter: "userName pr", Filter: "userName pr" }
      const searched = await client().call("POST", "/Users/.search", both)
      expect(searched).toMatchObject(rejectedWith("invalidSyntax"))
    })

    it("differs from a missing one, which is accepted", async () => {
      const listed = await client().call("GET", "/Users")
      expect(listed.body.totalResults).toBeGreaterThan(0)
      const searched = await client().call("POST", "/Users/.search", { schemas: [], filter: null })
      expect(searched.body.totalResults).toBe(listed.body.totalResults)
    })
  })

  describe("e-mails without a value", () => {
    const work = { value: "w@example.org", type: "work", primary: true }

    it.each<[string, object[]]>([
      ["all of them", [{ op: "replace", path: "emails", value: [{ type: "work" }] }]],
      ["one of two", [{ op: "replace", path: "emails", value: [work, { type: "home" }] }]],
      ["an empty value", [{ op: "replace", path: "emails", value: [{ type: "work", value: "" }] }]],
      [
        "null as the value",
        [{ op: "add", path: "emails", value: [{ value: null, primary: true }] }],
      ],
      ["an empty element", [{ op: "replace", path: "emails", value: [{}] }]],
      ["null as an element", [{ op: "replace", path: "emails", value: [null] }]],
      ["one object", [{ op: "replace", path: "emails", value: { type: "work" } }]],
      ["without a path", [{ op: "replace", value: { emails: [{ type: "work" }] } }]],
      [
        "unknown sub-attributes only",
        [{ op: "replace", path: "emails", value: [{ address: "x@y.example" }] }],
      ],
      [
        "a sub-attribute of one that is missing",
        [{ op: "add", path: 'emails[type eq "home"].primary', value: true }],
      ],
      [
        "a missing one by its sub-attributes",
        [{ op: "add", path: 'emails[type eq "other"]', value: { display: "O" } }],
      ],
    ])("are rejected and change nothing: %s", async (_what, operations) => {
      await client().patch(`/Users/${id}`, { op: "replace", path: "emails", value: [work] })
      const before = await readUser()
      const answer = await client().patch(`/Users/${id}`, ...operations)
      expect(answer).toMatchObject(rejectedWith("invalidValue"))
      expect(await readUser()).toEqual(before)
    })

    it("can be built by several operations, and removed with the value or an empty list", async () => {
      const path = 'emails[type eq "home"]'
      const made = await client().patch(
        `/Users/${id}`,
        { op: "replace", path: "emails", value: [work] },
        { op: "add", path: `${path}.display`, value: "Home" },
        { op: "add", path: `${path}.value`, value: "h@example.org" },
      )
      expect(made.body.emails).toContainEqual(
        expect.objectContaining({ value: "h@example.org", display: "Home", type: "home" }),
      )
      const withoutHome = await client().patch(`/Users/${id}`, {
        op: "remove",
        path: `${path}.value`,
      })
      expect(withoutHome.body.emails).toEqual([work])
      const none = await client().patch(`/Users/${id}`, {
        op: "replace",
        path: "emails",
        value: [],
      })
      expect(none.status).toBe(200)
      expect(none.body.emails).toBeUndefined()
    })
  })
})

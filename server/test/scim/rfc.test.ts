import { describe, expect, it } from "vitest"
import {
  describeScim,
  errorSchema,
  listResponseSchema,
  scimBase,
  userSchema,
} from "./scim-client.ts"

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describeScim("The RFCs", (client) => {
  describe("representation", () => {
    it("generates ids and ignores those sent", async () => {
      const sent = { userName: "id@rfc.example", id: "bulkId", meta: { created: "1999" } }
      const { body } = await client().call("POST", "/Users", sent)
      expect(body.id).toMatch(/^[0-9a-f-]{36}$/)
      expect(body.meta.created).not.toContain("1999")
    })

    it("uses RFC 3339 dates, with equal dates at first", async () => {
      const { meta } = await client().createUser("dated")
      expect(meta.created).toMatch(rfc3339)
      expect(meta.lastModified).toBe(meta.created)
      expect(meta.resourceType).toBe("User")
      expect((await client().createGroup("Dated")).meta.resourceType).toBe("Group")
    })

    it("has an absolute location, repeated in the Location header of a 201", async () => {
      const { body, headers } = await client().call("POST", "/Users", {
        userName: "located@rfc.example",
      })
      expect(body.meta.location).toBe(`${client().gateway.url}${scimBase}/Users/${body.id}`)
      expect(headers.get("location")).toBe(body.meta.location)
      const less = await client().call("POST", "/Users?attributes=userName", {
        userName: "located2@rfc.example",
      })
      expect(less.headers.get("location")).toContain(less.body.id)
    })

    it("lists the core schema once, whatever was sent", async () => {
      const schemas = [userSchema, userSchema, "urn:unknown"]
      const { body } = await client().call("POST", "/Users", {
        schemas,
        userName: "schemas@rfc.example",
      })
      expect(body.schemas).toEqual([userSchema])
    })

    it("treats null, empty and missing attributes alike, and adds none", async () => {
      const bodies = [
        { userName: "nothing1@rfc.example" },
        { userName: "nothing2@rfc.example", displayName: null, emails: [], name: null },
        { userName: "nothing3@rfc.example", displayName: "", emails: null, name: {} },
      ]
      for (const sent of bodies) {
        const { body } = await client().call("POST", "/Users", sent)
        expect(Object.keys(body).sort()).toEqual(["active", "id", "meta", "schemas", "userName"])
      }
    })

    it("allows one primary value at most, and merges duplicates", async () => {
      const two = [
        { value: "a@rfc.example", primary: true },
        { value: "b@rfc.example", primary: true },
      ]
      const refused = await client().call("POST", "/Users", {
        userName: "primaries@rfc.example",
        emails: two,
      })
      expect(refused).toMatchObject({ status: 400, body: { scimType: "invalidValue" } })
      const same = { value: "a@rfc.example", type: "work" }
      const { emails } = await client().createUser("twice", { emails: [same, same] })
      expect(emails).toHaveLength(1)
    })

    it("ignores the case of attribute names, and rejects duplicates", async () => {
      const { status, body } = await client().call("POST", "/Users", {
        USERNAME: "case@rfc.example",
        Name: { GIVENNAME: "Case" },
        eMails: [{ VALUE: "case@rfc.example" }],
        ACTIVE: false,
      })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        userName: "case@rfc.example",
        name: { givenName: "Case" },
        active: false,
      })
      const twice = { userName: "x@rfc.example", username: "y@rfc.example" }
      expect(await client().call("POST", "/Users", twice)).toMatchObject({
        status: 400,
        body: { scimType: "invalidSyntax" },
      })
    })

    it("cannot pollute a prototype", async () => {
      const sent = `{"userName":"proto@rfc.example","__proto__":{"active":false,"polluted":1},"constructor":{"x":1},"name":{"__proto__":{"givenName":"P"}}}`
      const { status, body } = await client().call("POST", "/Users", sent)
      expect(status).toBe(201)
      expect(body).toMatchObject({ active: true })
      expect(body).not.toHaveProperty("name")
      const value = JSON.parse(`{"__proto__.polluted":1,"__proto__":{"polluted":1}}`)
      await client().patch(`/Users/${body.id}`, { op: "add", value })
      const bad = { op: "add", path: "__proto__.polluted", value: 1 }
      expect((await client().patch(`/Users/${body.id}`, bad)).status).toBe(400)
      expect({}).not.toHaveProperty("polluted")
    })
  })

  describe("requests", () => {
    it.each([
      ["no e-mail address", { userName: "nobody" }],
      ["an address with a space", { userName: "no body@rfc.example" }],
      ["no userName", { displayName: "x" }],
      ["an empty userName", { userName: "" }],
      ["a userName that is not a string", { userName: 5 }],
      ["active that is not a Boolean", { userName: "v@rfc.example", active: "maybe" }],
      ["a name that is not an object", { userName: "v@rfc.example", name: "Ada" }],
      ["an e-mail that is not a string", { userName: "v@rfc.example", emails: [{ value: 5 }] }],
      ["U+0000", { userName: "v@rfc.example", displayName: "a\u0000b" }],
      ["a lone surrogate", { userName: "v@rfc.example", displayName: "a\ud800b" }],
      ["too long a text", { userName: "v@rfc.example", displayName: "x".repeat(1001) }],
    ])("with %s are rejected as invalidValue", async (_, sent) => {
      const answer = await client().call("POST", "/Users", sent)
      expect(answer).toMatchObject({ status: 400, body: { scimType: "invalidValue" } })
    })

    it.each(["", "{", "[]", '"text"', "null", "\u00ff"])(
      "with the body %j are rejected",
      async (sent) => {
        const answer = await client().call("POST", "/Users", sent)
        expect(answer).toMatchObject({
          status: 400,
          body: { schemas: [errorSchema], status: "400", scimType: "invalidSyntax" },
        })
      },
    )

    it("may have any Content-Type and Accept", async () => {
      const headers = { "content-type": "text/plain", accept: "text/html" }
      const sent = { userName: "types@rfc.example" }
      const { status, headers: got } = await client().call("POST", "/Users", sent, { headers })
      expect(status).toBe(201)
      expect(got.get("content-type")).toMatch(/^application\/scim\+json/)
    })

    it("to unknown paths get a SCIM 404, and with wrong methods 405 with Allow", async () => {
      const unknown = await client().call("GET", "/Devices")
      expect(unknown).toMatchObject({
        status: 404,
        body: { schemas: [errorSchema], status: "404" },
      })
      for (const [method, path, allow] of [
        ["DELETE", "/Users", "GET, POST"],
        ["POST", "/Schemas", "GET"],
        ["PUT", "/ServiceProviderConfig", "GET"],
        ["PATCH", "/ResourceTypes/User", "GET"],
        ["POST", "/Users/1", "GET, PUT, PATCH, DELETE"],
      ] as const) {
        const { status, headers, body } = await client().call(method, path, {})
        expect([path, status, headers.get("allow")]).toEqual([path, 405, allow])
        expect(body.status).toBe("405")
      }
    })

    it("to /Me and /Bulk get 501", async () => {
      for (const [method, path] of [
        ["GET", "/Me"],
        ["PATCH", "/Me"],
        ["POST", "/Bulk"],
      ] as const) {
        const answer = await client().call(method, path, method === "GET" ? undefined : {})
        expect(answer).toMatchObject({
          status: 501,
          body: { schemas: [errorSchema], status: "501" },
        })
      }
    })

    it("cannot duplicate a userName or a group's displayName", async () => {
      const [one, two] = [await client().createUser("uni1"), await client().createUser("uni2")]
      const userName = one.userName.toUpperCase()
      const conflict = { status: 409, body: { status: "409", scimType: "uniqueness" } }
      expect(await client().call("POST", "/Users", { userName })).toMatchObject(conflict)
      expect(await client().call("PUT", `/Users/${two.id}`, { userName })).toMatchObject(conflict)
      const rename = { op: "replace", path: "userName", value: userName }
      expect(await client().patch(`/Users/${two.id}`, rename)).toMatchObject(conflict)
      expect((await client().patch(`/Users/${one.id}`, rename)).body.userName).toBe(userName)
      await client().createGroup("Unique")
      const other = await client().createGroup("Unique 2")
      const name = { op: "replace", path: "displayName", value: "UNIQUE" }
      expect(await client().patch(`/Groups/${other.id}`, name)).toMatchObject(conflict)
      const put = await client().call("PUT", `/Groups/${other.id}`, { displayName: "unique" })
      expect(put).toMatchObject(conflict)
    })

    it("cannot add members who are not users, or create a group without a name", async () => {
      const displayName = "With strangers"
      const strangers = { displayName, members: [{ value: "nobody" }] }
      const wrong = { status: 400, body: { scimType: "invalidValue" } }
      expect(await client().call("POST", "/Groups", strangers)).toMatchObject(wrong)
      expect(
        (await client().find("Groups", `displayName eq "${displayName}"`)).body.totalResults,
      ).toBe(0)
      expect(await client().call("POST", "/Groups", { members: [] })).toMatchObject(wrong)
      const { id } = await client().createGroup("Nested")
      const nested = { op: "add", path: "members", value: [{ value: id, type: "Group" }] }
      expect(await client().patch(`/Groups/${id}`, nested)).toMatchObject(wrong)
    })
  })

  describe("PUT", () => {
    it("never creates: it returns 404 for an unknown id", async () => {
      const answer = await client().call("PUT", "/Users/unknown", { userName: "u@rfc.example" })
      expect(answer.status).toBe(404)
      const found = await client().find("Users", 'userName eq "u@rfc.example"')
      expect(found.body.totalResults).toBe(0)
    })

    it("requires a userName, ignores another id, and clears missing attributes except active", async () => {
      const made = await client().createUser("putter", {
        nickName: "P",
        externalId: "p",
        active: false,
      })
      const bare = await client().call("PUT", `/Users/${made.id}`, { displayName: "x" })
      expect(bare).toMatchObject({ status: 400, body: { scimType: "invalidValue" } })
      const sent = { id: "other", userName: made.userName, displayName: "Putter" }
      const { status, body } = await client().call("PUT", `/Users/${made.id}`, sent)
      expect(status).toBe(200)
      expect(body).toMatchObject({ id: made.id, displayName: "Putter", active: false })
      for (const absent of ["nickName", "externalId", "name", "emails"]) {
        expect(body).not.toHaveProperty(absent)
      }
    })

    it("keeps members if they are missing, and clears them with []", async () => {
      const { id } = await client().createUser("kept")
      const group = await client().createGroup("Kept members", [id])
      const put = (sent: object) => client().call("PUT", `/Groups/${group.id}`, sent)
      const kept = await put({ displayName: "Kept members 2" })
      expect(kept.body.members).toMatchObject([{ value: id }])
      const cleared = await put({ displayName: "Kept members 2", members: [] })
      expect(cleared.body.members).toEqual([])
    })
  })

  describe("discovery", () => {
    it("lists consistent schemas and resource types, each with its meta", async () => {
      const schemas = (await client().call("GET", "/Schemas")).body
      const types = (await client().call("GET", "/ResourceTypes")).body
      expect([schemas.schemas, types.schemas]).toEqual([[listResponseSchema], [listResponseSchema]])
      const urns: string[] = schemas.Resources.map(({ id }: { id: string }) => id)
      expect(urns.every((urn) => !urn.includes("messages"))).toBe(true)
      for (const type of types.Resources) {
        expect(urns).toContain(type.schema)
        const one = await client().call("GET", `/ResourceTypes/${type.id}`)
        expect(one).toMatchObject({ status: 200, body: type })
        expect(type.meta).toMatchObject({ resourceType: "ResourceType" })
        expect((await client().call("GET", type.endpoint)).status).toBe(200)
      }
      for (const urn of urns) {
        const one = await client().call("GET", `/Schemas/${urn}`)
        expect(one.body).toMatchObject({ id: urn, meta: { resourceType: "Schema" } })
      }
      expect((await client().call("GET", "/Schemas/urn:none")).status).toBe(404)
    })

    it("rejects filters on schemas and resource types, but not on the configuration", async () => {
      const filter = "?filter=id%20pr"
      expect((await client().call("GET", `/Schemas${filter}`)).status).toBe(403)
      expect((await client().call("GET", `/ResourceTypes${filter}`)).status).toBe(403)
      expect((await client().call("GET", `/ServiceProviderConfig${filter}`)).status).toBe(200)
    })

    it("lists exactly the attributes that are stored", async () => {
      const { body } = await client().call("GET", `/Schemas/${userSchema}`)
      const names: string[] = body.attributes.map(({ name }: { name: string }) => name)
      expect(names.sort()).toEqual(
        ["active", "displayName", "emails", "groups", "name", "nickName", "userName"].sort(),
      )
    })
  })
})

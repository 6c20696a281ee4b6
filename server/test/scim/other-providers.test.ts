import { describe, expect, it } from "vitest"
import { describeScim, groupSchema, listResponseSchema, userSchema } from "./scim-client.ts"

describeScim("Other providers", (client) => {
  describe("authentik", () => {
    it("A1 reads an accurate ServiceProviderConfig", async () => {
      const { status, body } = await client().call("GET", "/ServiceProviderConfig")
      expect(status).toBe(200)
      expect(body).toMatchObject({
        patch: { supported: true },
        bulk: { supported: false },
        filter: { supported: true, maxResults: 200 },
        changePassword: { supported: false },
        sort: { supported: true },
        etag: { supported: false },
        authenticationSchemes: [{ type: "oauthbearertoken" }],
      })
      expect(body.bulk.maxOperations).toEqual(expect.any(Number))
      expect(body.bulk.maxPayloadSize).toEqual(expect.any(Number))
    })

    it("A2 sends application/json", async () => {
      const headers = { "content-type": "application/json" }
      const sent = { schemas: [userSchema], userName: "anna@authentik.example", active: true }
      const made = await client().call("POST", "/Users", sent, { headers })
      expect(made.status).toBe(201)
    })

    it("A3 updates with a complete PUT including the id, and deletes", async () => {
      const made = await client().createUser("anton", { externalId: "a3" })
      const sent = {
        schemas: [userSchema],
        id: made.id,
        userName: made.userName,
        externalId: "a3",
        displayName: "Anton",
        active: true,
      }
      const put = await client().call("PUT", `/Users/${made.id}`, sent)
      expect(put).toMatchObject({ status: 200, body: { id: made.id, displayName: "Anton" } })
      expect(await client().call("DELETE", `/Users/${made.id}`)).toMatchObject({ status: 204 })
    })

    it("A4 finds the existing group after a conflict", async () => {
      const { id } = await client().createGroup("authentik Admins")
      const sent = { schemas: [groupSchema], displayName: "authentik Admins", externalId: "a4" }
      expect(await client().call("POST", "/Groups", sent)).toMatchObject({ status: 409 })
      const { body } = await client().find("Groups", 'displayName eq "authentik Admins"')
      expect(body.Resources[0].id).toBe(id)
    })

    it("A5 updates a group with a replace without a path", async () => {
      const { id } = await client().createGroup("authentik Before")
      const value = { schemas: [groupSchema], id, externalId: "a5", displayName: "authentik After" }
      const patched = await client().patch(`/Groups/${id}`, { op: "replace", value })
      const { schemas, ...rest } = value
      expect(patched).toMatchObject({ status: 200, body: rest })
    })

    it("A6 changes memberships with one operation per user, all in one request", async () => {
      const ids: string[] = []
      for (let index = 0; index < 12; index++)
        ids.push((await client().createUser(`a6n${index}`)).id)
      const { id } = await client().createGroup("authentik Many", ids.slice(0, 3))
      const add = ids.slice(3).map((value) => ({ op: "add", path: "members", value: [{ value }] }))
      const remove = ids
        .slice(0, 3)
        .map((value) => ({ op: "remove", path: "members", value: [{ value }] }))
      const { status, body } = await client().patch(`/Groups/${id}`, ...add, ...remove)
      expect(status).toBe(200)
      const members: { value: string }[] = body.members
      expect(members.map(({ value }) => value).sort()).toEqual(ids.slice(3).sort())
    })

    it("A7 lists members of a group, and pages through all groups", async () => {
      const { id } = await client().createUser("a7")
      const group = await client().createGroup("authentik Listed", [id])
      expect((await client().call("GET", `/Groups/${group.id}`)).body.members).toMatchObject([
        { value: id },
      ])
      const seen: string[] = []
      let total = 1
      while (seen.length < total) {
        const { body } = await client().call("GET", `/Groups?startIndex=${seen.length + 1}&count=2`)
        expect(body.Resources.length).toBeGreaterThan(0)
        seen.push(...body.Resources.map((found: { id: string }) => found.id))
        total = body.totalResults
      }
      expect(new Set(seen).size).toBe(total)
      expect(seen).toContain(group.id)
    })
  })

  describe("Rauthy", () => {
    it("R1 finds users by externalId or userName, and groups by externalId or displayName", async () => {
      const user = await client().createUser("rita", { externalId: "r-1" })
      const group = await client().createGroup("Rauthy", [], { externalId: "r-g" })
      for (const filter of ['externalId eq "r-1"', `userName eq "${user.userName}"`]) {
        expect((await client().find("Users", filter)).body.Resources).toMatchObject([
          { id: user.id },
        ])
      }
      for (const filter of ['externalId eq "r-g"', 'displayName eq "Rauthy"']) {
        const { body } = await client().find("Groups", filter)
        expect(body.Resources).toMatchObject([{ id: group.id }])
      }
      const put = await client().call("PUT", `/Users/${user.id}`, { ...user, displayName: "Rita" })
      expect(put.body).toMatchObject({ displayName: "Rita", externalId: "r-1" })
      const member = [{ value: user.id }]
      await client().patch(`/Groups/${group.id}`, { op: "replace", path: "members", value: member })
      const patchedGroup = await client().patch(
        `/Groups/${group.id}`,
        { op: "add", value: { displayName: "Rauthy 2" } },
        { op: "remove", path: "members", value: member },
      )
      expect(patchedGroup.body).toMatchObject({ displayName: "Rauthy 2", members: [] })
    })

    it("R2 clears an externalId with PUT and PATCH", async () => {
      const put = await client().createUser("rolf", { externalId: "r-2" })
      const { externalId, ...rest } = put
      const cleared = await client().call("PUT", `/Users/${put.id}`, { ...rest, externalId: null })
      expect(cleared.body).not.toHaveProperty("externalId")
      const patched = await client().createUser("ruth", { externalId: "r-3" })
      const remove = { op: "remove", path: "externalId" }
      const after = await client().patch(`/Users/${patched.id}`, remove)
      expect(after.body).not.toHaveProperty("externalId")
      const group = await client().createGroup("Rauthy cleared", [], { externalId: "r-4" })
      const replaced = { op: "replace", path: "externalId", value: null }
      const bare = await client().patch(`/Groups/${group.id}`, replaced)
      expect(bare.body).not.toHaveProperty("externalId")
    })
  })

  describe("OneLogin", () => {
    it("L1 deletes or suspends, as configured", async () => {
      const [deleted, suspended] = [
        await client().createUser("lars"),
        await client().createUser("lena"),
      ]
      expect(await client().call("DELETE", `/Users/${deleted.id}`)).toMatchObject({ status: 204 })
      const off = { op: "replace", path: "active", value: false }
      expect((await client().patch(`/Users/${suspended.id}`, off)).body.active).toBe(false)
      for (const { id } of [deleted, suspended]) {
        expect((await client().call("GET", `/Users/${id}`)).body.active).toBe(false)
      }
    })

    it("L2 removes only the listed members", async () => {
      const ids: string[] = []
      for (const name of ["l1", "l2", "l3"]) ids.push((await client().createUser(name)).id)
      const { id } = await client().createGroup("OneLogin", ids)
      const value = ids.slice(0, 2).map((member) => ({ value: member }))
      const { body } = await client().patch(`/Groups/${id}`, {
        op: "remove",
        path: "members",
        value,
      })
      expect(body.members).toMatchObject([{ value: ids[2] }])
      const nobody = { op: "remove", path: "members", value: [] }
      expect((await client().patch(`/Groups/${id}`, nobody)).body.members).toHaveLength(1)
    })
  })

  describe("JumpCloud", () => {
    it("J1 activates with a test user and group that it deletes, repeatedly", async () => {
      const ids = new Set<string>()
      for (let round = 0; round < 3; round++) {
        const user = await client().createUser("jumpcloud-test")
        expect(user.active).toBe(true)
        ids.add(user.id)
        const group = await client().createGroup("JumpCloud test", [user.id])
        expect(await client().call("DELETE", `/Groups/${group.id}`)).toMatchObject({ status: 204 })
        expect(await client().call("DELETE", `/Users/${user.id}`)).toMatchObject({ status: 204 })
      }
      expect(ids.size).toBe(1)
    })

    it("J2 removes the listed members", async () => {
      const [stays, goes] = [await client().createUser("jill"), await client().createUser("jack")]
      const { id } = await client().createGroup("JumpCloud", [stays.id, goes.id])
      const op = { op: "remove", path: "members", value: [{ value: goes.id }] }
      expect((await client().patch(`/Groups/${id}`, op)).body.members).toMatchObject([
        { value: stays.id },
      ])
    })
  })

  describe("Google Workspace", () => {
    it("G1 suspends, and later deletes, which removes memberships", async () => {
      const { id } = await client().createUser("greta")
      const group = await client().createGroup("Google", [id])
      const off = { op: "replace", path: "active", value: false }
      await client().patch(`/Users/${id}`, off)
      const suspended = await client().call("GET", `/Groups/${group.id}`)
      expect(suspended.body.members).toMatchObject([{ value: id }])
      expect(await client().call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 })
      expect((await client().call("GET", `/Groups/${group.id}`)).body.members).toEqual([])
    })

    it("G1 builds its attribute list from the user schema", async () => {
      const { body } = await client().call("GET", `/Schemas/${userSchema}`)
      const byName = new Map<string, Record<string, unknown>>(
        body.attributes.map((attribute: { name: string }) => [attribute.name, attribute]),
      )
      expect(byName.get("userName")).toMatchObject({ required: true, mutability: "readWrite" })
      expect(byName.get("active")).toMatchObject({ type: "boolean", mutability: "readWrite" })
      const parts = byName.get("emails")?.subAttributes
      expect(parts).toMatchObject([{ name: "value" }, { name: "display" }, { name: "type" }, {}])
    })
  })

  describe("Keycloak", () => {
    it("K1 sends standard requests, with nothing specific to test", async () => {
      const { body } = await client().call("GET", "/Users?count=0")
      expect(body).toMatchObject({ schemas: [listResponseSchema], itemsPerPage: 0, Resources: [] })
    })
  })
})

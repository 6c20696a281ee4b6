import { expect, it } from "vitest"
import { z } from "zod"
import { describeScim, scimBase, scimToken, userSchema } from "./scim-client.ts"

const acme = "urn:ietf:params:scim:schemas:extension:acme:2.0:User"
const deactivate = { op: "Replace", path: "active", value: "False" }

describeScim("attributes that the service does not have", (client) => {
  const ignoredBy = async (id: string) => {
    const { body } = await client().gateway.call("GET", `/api/v1/audit?target_id=${id}`)
    return body.items[0].ignored
  }

  it.each([
    [`${acme}:costCenterCode`, "7"],
    [acme, { costCenterCode: "7" }],
    ["costCenterCode", "7"],
    ["name.shoe", "7"],
    ["shoe.size", "7"],
    ['emails[type eq "work"].shoe', "7"],
    ['emails[shoe eq "7"].value', "x@example.org"],
    ['shoes[type eq "left" and not (size gt 7)].size', "7"],
    ["shoes[primary eq true]", [{ size: 7 }]],
  ])("are ignored in the path %s of a PATCH, and named in the audit trail", async (path, value) => {
    const { id } = await client().createUser(`user-${crypto.randomUUID()}`)
    for (const op of ["Add", "Replace", "Remove"]) {
      const { status } = await client().patch(`/Users/${id}`, { op, path, value })
      expect([op, status]).toEqual([op, 200])
    }
    const { status, body } = await client().patch(
      `/Users/${id}`,
      { op: "Add", path, value },
      deactivate,
    )
    expect([status, body.active]).toEqual([200, false])
    expect(await ignoredBy(id)).toEqual([path])
  })

  it("are ignored in groups", async () => {
    const user = await client().createUser(`user-${crypto.randomUUID()}`)
    const { id } = await client().createGroup(`group ${crypto.randomUUID()}`)
    const { status } = await client().patch(
      `/Groups/${id}`,
      { op: "Add", path: "costCenterCode", value: "7" },
      { op: "Add", path: "members", value: [{ value: user.id }] },
    )
    expect([200, 204]).toContain(status)
    const { body } = await client().call("GET", `/Groups/${id}`)
    expect(body.members).toMatchObject([{ value: user.id }])
  })

  it.each([
    "shoe size",
    "shoe.a.b",
    "shoe.",
    "shoe[",
    "shoe[]",
    "shoe[size is 7]",
    "urn:",
    "é",
    "a]b",
  ])("do not make the malformed path %s valid", async (path) => {
    const { id } = await client().createUser(`user-${crypto.randomUUID()}`)
    const reply = await client().patch(`/Users/${id}`, { op: "Add", path, value: "7" }, deactivate)
    expect(reply).toMatchObject({ status: 400, body: { scimType: "invalidPath" } })
    expect((await client().call("GET", `/Users/${id}`)).body.active).toBe(true)
  })
})

describeScim("values of other types", (client) => {
  it.each([0, [{ value: "False" }], ["false"], { value: false }])(
    "deactivate an account: %j",
    async (value) => {
      const { id } = await client().createUser(`user-${crypto.randomUUID()}`)
      const { status, body } = await client().patch(`/Users/${id}`, {
        op: "Replace",
        path: "active",
        value,
      })
      expect([status, body.active]).toEqual([200, false])
    },
  )

  it("make a number the external id", async () => {
    const created = await client().createUser(`user-${crypto.randomUUID()}`, { externalId: 4711 })
    expect(created.externalId).toBe("4711")
    const path = "externalId"
    const { body } = await client().patch(`/Users/${created.id}`, { op: "Add", path, value: 42 })
    expect(body.externalId).toBe("42")
  })

  it.each([2, -1, [], ["true", "false"], {}])("are not a truth value: %j", async (value) => {
    const { id } = await client().createUser(`user-${crypto.randomUUID()}`)
    const reply = await client().patch(`/Users/${id}`, { op: "Replace", path: "active", value })
    expect([200, 400]).toContain(reply.status)
    expect((await client().call("GET", `/Users/${id}`)).body.active).toBe(true)
  })
})

describeScim("a plus sign in the URL of a search", (client) => {
  const count = async (query: string) => {
    const url = `${client().gateway.url}${scimBase}/Users?${query}`
    const reply = await fetch(url, { headers: { authorization: `Bearer ${scimToken}` } })
    const { totalResults } = z.object({ totalResults: z.int() }).parse(await reply.json())
    return [reply.status, totalResults]
  }

  it("is itself within a value, and a space between words", async () => {
    await client().createUser("pat+dev", { externalId: 'a"+b', displayName: "Pat Dev" })
    for (const query of [
      "filter=userName%20eq%20%22pat+dev@example.org%22",
      "filter=userName%20eq%20%22pat%2Bdev@example.org%22",
      "filter=userName+eq+%22pat+dev@example.org%22",
      "filter=userName+eq+%22pat%2Bdev@example.org%22",
      "Filter=userName%20sw%20%22pat+%22",
      "filter=emails.value%20eq%20%22pat+dev@example.org%22",
      "filter=emails%5Bvalue%20eq%20%22pat+dev@example.org%22%5D",
      "filter=externalId%20eq%20%22a%5C%22+b%22",
      `filter=${userSchema}:userName+eq+%22pat+dev@example.org%22`,
      `filter=${encodeURIComponent(userSchema)}%3AuserName+eq+%22pat+dev@example.org%22`,
      "filter=%28userName+eq+%22pat+dev@example.org%22%29+and+%28active+eq+true%29",
      "filter=not+%28userName+ne+%22pat+dev@example.org%22%29",
      "filter=userName+sw+%22pat+%22+and+meta.created+gt+%222011-05-13T04:42:34+02:00%22",
      "filter=displayName+eq+%22Pat+Dev%22",
      "count=10&filter=active+eq+true+and+userName+eq+%22pat+dev@example.org%22",
    ]) {
      expect([query, ...(await count(query))]).toEqual([query, 200, 1])
    }
  })
})

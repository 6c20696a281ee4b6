import { expect, it } from "vitest"
import { describeScim, userSchema } from "./scim-client.ts"

describeScim("Basic provisioning", (client) => {
  it("creates a user from the documented example", async () => {
    const sent = {
      schemas: [userSchema],
      userName: "user@example.com",
      name: { givenName: "First", familyName: "Last" },
      emails: [{ value: "user@example.com", primary: true }],
      active: true,
    }
    const { status, body } = await client().call("POST", "/Users", sent)
    expect(status).toBe(201)
    expect(body).toMatchObject(sent)
    expect((await client().call("GET", `/Users/${body.id}`)).body).toEqual(body)
  })

  it("rejects a user whose e-mail address is invalid or in use", async () => {
    await client().createUser("taken")
    const invalid = await client().call("POST", "/Users", { userName: "not-an-address" })
    const used = await client().call("POST", "/Users", { userName: "Taken@Example.org" })
    expect([invalid.status, used.status]).toEqual([400, 409])
  })

  it("deactivates the account when an active user is deleted", async () => {
    const { id, active } = await client().createUser("stateful")
    expect(active).toBe(true)
    expect(await client().call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 })
    expect((await client().call("GET", `/Users/${id}`)).body).toMatchObject({ id, active: false })
  })

  it.each([
    ["eq", "operated@example.org", true],
    ["ne", "operated@example.org", false],
    ["co", "rated@ex", true],
    ["sw", "operated", true],
    ["ew", ".org", true],
    ["gt", "operated", true],
    ["ge", "operated@example.org", true],
    ["lt", "operated", false],
    ["le", "operated@example.org", true],
  ])("filters users and groups by %s", async (operator, value, found) => {
    const { body } = await client().find("Users", 'userName eq "operated@example.org"')
    if (body.totalResults === 0) {
      await client().createUser("operated")
      await client().createGroup("operated@example.org")
    }
    for (const [endpoint, attribute] of [
      ["Users", "userName"],
      ["Groups", "displayName"],
    ] as const) {
      const name = `${attribute} eq "operated@example.org"`
      const both = await client().find(endpoint, `${attribute} ${operator} "${value}" and ${name}`)
      expect(both.body.totalResults).toBe(found ? 1 : 0)
      expect((await client().find(endpoint, `${attribute} pr and ${name}`)).body.totalResults).toBe(
        1,
      )
    }
  })
})

import { sql } from "kysely"
import { expect, it } from "vitest"
import { describeScim, enterpriseUserSchema, type ScimClient, scimToken } from "./scim-client.ts"

const readEvents = async ({ gateway }: ScimClient) => {
  const { rows } = await sql<{
    actor_type: string
    actor_id: string | null
    address: string | null
    action: string
    target_type: string | null
    target_id: string | null
    changed: string | null
    ignored: string | null
    before: string | null
    after: string | null
    outcome: string
    status: number | null
    count: number
    request_id: string | null
  }>`select * from audit_events order by id`.execute(gateway.gateway.db.read)
  return rows
}

/** The events that `act` adds to the audit log. */
const eventsDuring = async (client: ScimClient, act: () => Promise<unknown>) => {
  const { length } = await readEvents(client)
  await act()
  return (await readEvents(client)).slice(length)
}

describeScim("The audit log of SCIM", (client) => {
  it("has one event per request, written before the reply to a read", async () => {
    const { id } = await client().createUser("audited")
    const group = await client().createGroup("Audited", [id])
    const off = { op: "replace", path: "active", value: false }
    const rename = { op: "replace", path: "displayName", value: "Audited 2" }
    const requests: [() => Promise<unknown>, string][] = [
      [() => client().call("GET", "/Users"), "scim.users.listed"],
      [() => client().call("POST", "/Users/.search", {}), "scim.users.listed"],
      [() => client().call("GET", `/Users/${id}`), "scim.user.read"],
      [() => client().patch(`/Users/${id}`, rename), "scim.user.patched"],
      [() => client().patch(`/Users/${id}`, rename), "scim.user.patched"],
      [() => client().patch(`/Users/${id}`, off), "user.deactivated"],
      [() => client().patch(`/Users/${id}`, { ...off, value: true }), "user.activated"],
      [
        () => client().call("PUT", `/Users/${id}`, { userName: "a@b.example" }),
        "scim.user.replaced",
      ],
      [() => client().createUser("audited-too"), "scim.user.created"],
      [() => client().call("GET", `/Groups/${group.id}`), "scim.group.read"],
      [() => client().patch(`/Groups/${group.id}`, rename), "scim.group.patched"],
      [() => client().patch(`/Groups/${group.id}`, rename), "scim.group.patched"],
      [() => client().call("DELETE", `/Users/${id}`), "user.deactivated"],
      [() => client().call("DELETE", `/Groups/${group.id}`), "scim.group.deleted"],
      [() => client().call("GET", "/Schemas"), "scim.schemas.read"],
    ]
    for (const [act, action] of requests) {
      const written = await eventsDuring(client(), act)
      expect(written.map((event) => event.action)).toEqual([action])
      expect(written[0]).toMatchObject({
        actor_type: "scim",
        actor_id: expect.stringMatching(/^[0-9a-f]{12}$/),
        address: "127.0.0.1",
        outcome: "success",
        request_id: expect.any(String),
      })
    }
  })

  it("names changed and ignored attributes, and members added and removed", async () => {
    const { id } = await client().createUser("named")
    const [patched] = await eventsDuring(client(), () =>
      client().patch(`/Users/${id}`, {
        op: "replace",
        value: {
          nickName: "N",
          active: false,
          title: "T",
          [`${enterpriseUserSchema}:department`]: "D",
          x: 1,
        },
      }),
    )
    expect(patched).toMatchObject({
      target_type: "user",
      target_id: id,
      changed: JSON.stringify(["nick_name", "active"]),
      before: JSON.stringify({ active: true, role: "user" }),
      after: JSON.stringify({ active: false, role: "user" }),
      status: 200,
    })
    expect(JSON.parse(patched?.ignored ?? "")).toEqual(["title", "department", "x"])
    const group = await client().createGroup("Named")
    const add = { op: "add", path: "members", value: [{ value: id }] }
    const [joined] = await eventsDuring(client(), () => client().patch(`/Groups/${group.id}`, add))
    expect(joined).toMatchObject({
      changed: JSON.stringify(["members"]),
      after: JSON.stringify({ added: [id] }),
    })
  })

  it("does not name attributes that follow from the changed ones", async () => {
    const { id } = await client().createUser("renamed")
    const rename = { op: "replace", path: "name.givenName", value: "Renée" }
    const [patched] = await eventsDuring(client(), () => client().patch(`/Users/${id}`, rename))
    expect(JSON.parse(patched?.changed ?? "")).toEqual(["given_name"])
    const local = await client().gateway.createUser("Moved")
    const [moved] = await eventsDuring(client(), () =>
      client().gateway.call("POST", `/api/v1/users/${local.id}/update`, {
        email: "to@example.org",
      }),
    )
    expect(JSON.parse(moved?.changed ?? "")).toEqual(["email"])
  })

  it("includes failures, and groups repeated authentication failures", async () => {
    const conflict = await eventsDuring(client(), async () => {
      await client().createUser("failing")
      await client().call("POST", "/Users", { userName: "failing@example.org" })
    })
    expect(conflict.at(-1)).toMatchObject({
      action: "scim.user.created",
      outcome: "failure",
      status: 409,
    })
    const unknown = await eventsDuring(client(), () => client().call("GET", "/Users/none"))
    expect(unknown).toMatchObject([
      { action: "scim.user.read", target_id: "none", outcome: "failure", status: 404 },
    ])
    const quoting = await eventsDuring(client(), async () => {
      // A message that quotes the client must not be mistaken for an error of the database.
      const { body } = await client().find("Users", 'id pr "Connection terminated"')
      expect(body).toMatchObject({ status: "400", scimType: "invalidFilter" })
    })
    expect(quoting).toMatchObject([
      { action: "scim.users.listed", outcome: "failure", status: 400 },
    ])
    const rejected = await eventsDuring(client(), async () => {
      for (let index = 0; index < 5; index++) {
        await client().call("GET", "/Users", undefined, { key: "wrong" })
      }
    })
    expect(rejected).toMatchObject([{ action: "auth.failed", status: 401, target_type: "scim" }])
  })

  it("contains no tokens, bodies or filters", async () => {
    await client().createUser("private-person")
    await client().find("Users", 'userName eq "private-person@example.org"')
    const text = JSON.stringify(await readEvents(client()))
    expect(text).not.toContain(scimToken)
    expect(text).not.toContain("private-person")
  })
})

describeScim("Two concurrent identity providers", (client) => {
  it("create only one account per userName: one gets 201, one 409, a hundred times", async () => {
    for (let round = 0; round < 100; round++) {
      const create = () => client().call("POST", "/Users", { userName: `race${round}@example.org` })
      const both = await Promise.all([create(), create()])
      expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    }
  }, 60_000)

  it("lose no concurrent change to a user or group", async () => {
    const { id } = await client().createUser("shared")
    const group = await client().createGroup("Shared")
    for (let round = 0; round < 10; round++) {
      const [nick, display] = [`nick${round}`, `display${round}`]
      const { id: member } = await client().createUser(`member${round}`)
      await Promise.all([
        client().patch(`/Users/${id}`, { op: "add", path: "nickName", value: nick }),
        client().patch(`/Users/${id}`, { op: "add", path: "displayName", value: display }),
        client().patch(`/Groups/${group.id}`, { op: "add", path: "members", value: [member] }),
        client().patch(`/Groups/${group.id}`, { op: "add", path: "externalId", value: nick }),
      ])
      const user = await client().call("GET", `/Users/${id}`)
      expect(user.body).toMatchObject({ nickName: nick, displayName: display })
      const { body } = await client().call("GET", `/Groups/${group.id}`)
      expect(body.externalId).toBe(nick)
      expect(body.members).toHaveLength(round + 1)
    }
  }, 60_000)

  it("get 200 and 409 for the same new userName", async () => {
    const [one, two] = [await client().createUser("swap1"), await client().createUser("swap2")]
    const rename = (id: string, value: string) =>
      client().patch(`/Users/${id}`, { op: "replace", path: "userName", value })
    const statuses = await Promise.all([
      rename(one.id, "target@example.org"),
      rename(two.id, "target@example.org"),
    ])
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

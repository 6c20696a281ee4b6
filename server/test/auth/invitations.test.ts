import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

const path = "/api/v1/invitations"
const password = "a password of the guest"

describe.each(chooseDatabases())("invitations on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  const invite = async (invitation: object = {}, key?: string) =>
    gateway.call("POST", `${path}/create`, invitation, key === undefined ? {} : { key })
  const accept = (token: string, changes: object = {}) => {
    const account = { name: "Guest", email: "guest@example.com", password, ...changes }
    return gateway.call("POST", `${path}/accept`, { token, ...account }, { key: null })
  }
  const openLink = (token: string) => gateway.call("POST", `${path}/open`, { token }, { key: null })
  const signedInAsAdmin = async (name: string) => {
    const user = await gateway.createUser(name)
    await gateway.call("POST", `/api/v1/users/${user.id}/update`, { role: "admin" })
    return user
  }
  const storedInvitations = () =>
    gateway.gateway.db.read.selectFrom("invitations").selectAll().execute()

  it("create an account with its role and groups while sign-up is off", async () => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Crew" })
    const { status, body } = await invite({ role: "admin", group_ids: [group.id] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: "open", role: "admin", email: null, account: null })
    expect(body.groups).toEqual([{ id: group.id, name: "Crew" }])
    expect((await openLink(body.token)).body).toMatchObject({ state: "open", email: null })

    const accepted = await accept(body.token, { email: "new.admin@example.com" })
    expect(accepted).toMatchObject({ status: 200, body: { role: "admin" } })
    expect(accepted.headers.get("set-cookie")).toContain("HttpOnly")
    const members = await gateway.call("GET", `/api/v1/groups/${group.id}/members`)
    expect(members.body.items).toMatchObject([{ email: "new.admin@example.com" }])
    const [listed] = (await gateway.call("GET", path)).body.items
    expect(listed).toMatchObject({ id: body.id, state: "accepted" })
    expect(listed.account).toEqual({ id: accepted.body.id, email: "new.admin@example.com" })
  })

  it("store and list no token", async () => {
    const { body } = await invite()
    const stored = JSON.stringify(await storedInvitations())
    const listed = JSON.stringify((await gateway.call("GET", path)).body)
    const events = await gateway.gateway.db.read.selectFrom("audit_events").selectAll().execute()
    for (const text of [stored, listed, JSON.stringify(events)])
      expect(text).not.toContain(body.token)
  })

  it("work once, also for two people at the same moment", async () => {
    const { body } = await invite()
    const both = await Promise.all(
      ["first", "second"].map((name) => accept(body.token, { email: `${name}@example.com` })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const third = await accept(body.token, { email: "third@example.com" })
    expect(third).toMatchObject({ status: 409, body: { code: "conflict" } })
    expect(third.body.detail).toContain("already used")
    expect((await openLink(body.token)).body).toMatchObject({ state: "accepted" })
    const { body: users } = await gateway.call("GET", "/api/v1/users/?query=third@")
    expect(users.total).toBe(0)
  })

  it("stay open if the account cannot be created", async () => {
    const { body } = await invite()
    const taken = await gateway.createUser("Taken")
    expect((await accept(body.token, { email: taken.email })).status).toBe(409)
    expect((await accept(body.token, { password: "short" })).status).toBe(422)
    expect((await accept(body.token, { email: "free@example.com" })).status).toBe(200)
  })

  it("for one address create an account with that address only", async () => {
    const { body } = await invite({ email: "chosen@example.com" })
    expect((await openLink(body.token)).body.email).toBe("chosen@example.com")
    const accepted = await accept(body.token, { email: "attacker@example.com" })
    expect(accepted.body.email).toBe("chosen@example.com")
    const { body: open } = await invite()
    const withoutAddress = await accept(open.token, { email: undefined })
    expect(withoutAddress.body.errors).toMatchObject([{ path: "email" }])
  })

  it("explain that they were revoked or have expired", async () => {
    const { body: revoked } = await invite()
    expect((await gateway.call("DELETE", `${path}/${revoked.id}`)).status).toBe(200)
    expect((await openLink(revoked.token)).body).toMatchObject({ state: "revoked", email: null })
    expect((await accept(revoked.token)).body.detail).toContain("revoked")
    expect((await gateway.call("DELETE", `${path}/${revoked.id}`)).status).toBe(409)

    const { body: expired } = await invite()
    await gateway.gateway.db.transact((tx) =>
      tx
        .updateTable("invitations")
        .set({ expires_at: Math.floor(Date.now() / 1000) - 1 })
        .where("id", "=", expired.id)
        .execute(),
    )
    expect((await openLink(expired.token)).body.state).toBe("expired")
    expect((await accept(expired.token)).body.detail).toContain("expired")
  })

  it("are void if whoever created them is no longer an active administrator", async () => {
    for (const changes of [{ role: "user" }, { active: false }]) {
      const admin = await signedInAsAdmin(`Admin${Object.keys(changes)[0]}`)
      const { body } = await invite({ role: "admin" }, admin.key)
      await gateway.call("POST", `/api/v1/users/${admin.id}/update`, changes)
      expect((await openLink(body.token)).body.state).toBe("void")
      expect((await accept(body.token)).status).toBe(409)
    }
    const admin = await signedInAsAdmin("Leaving")
    const { body } = await invite({}, admin.key)
    await gateway.call("DELETE", `/api/v1/users/${admin.id}`)
    expect((await accept(body.token)).status).toBe(404)
  })

  it("are created, listed and revoked by administrators only, with unrestricted keys", async () => {
    const user = await gateway.createUser("Mallory")
    const { body } = await invite()
    expect((await invite({ role: "admin" }, user.key)).status).toBe(403)
    const asUser = { key: user.key }
    expect((await gateway.call("GET", path, undefined, asUser)).status).toBe(403)
    const revoked = await gateway.call("DELETE", `${path}/${body.id}`, undefined, asUser)
    expect(revoked.status).toBe(403)
    const limited = { name: "limited", allowed_routes: [`${path}/*`] }
    const key = (await gateway.call("POST", "/api/v1/auths/api_keys", limited)).body.api_key
    expect((await invite({ role: "admin" }, key)).status).toBe(403)
  })

  it("reject unknown groups and roles", async () => {
    expect((await invite({ group_ids: ["nowhere"] })).status).toBe(404)
    expect((await invite({ role: "owner" })).status).toBe(422)
    expect((await invite({ expires_in: 10 ** 9 })).status).toBe(422)
  })

  it("cannot be accepted from another website", async () => {
    const { body } = await invite()
    const account = { token: body.token, name: "G", email: "cross@example.com", password }
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    const options = { key: null, headers }
    expect((await gateway.call("POST", `${path}/accept`, account, options)).status).toBe(403)
  })

  it("limit how often unknown links can be tried", async () => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 7; attempt++)
      statuses.push((await openLink(`guess-${attempt}`)).status)
    expect(statuses[0]).toBe(404)
    expect(statuses.at(-1)).toBe(429)
  })
})

import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { scimToken } from "../audit/fixtures.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

interface Person {
  id: string
  email: string
  key: string
}

const scim = "/api/v1/scim/v2"

describe.each(chooseDatabases())("the managers of a group on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let manager: Person
  let colleague: Person
  let member: Person
  let stranger: Person
  let path: string
  let groupId: string
  let otherPath: string

  const admin = async (method: string, url: string, body?: object) => {
    const reply = await gateway.call(method, url, body)
    expect([url, reply.status]).toEqual([url, 200])
    return reply.body
  }
  const as = ({ key }: Person, method: string, url: string, body?: object) =>
    gateway.call(method, url, body, { key })
  const newGroup = async () => admin("POST", "/api/v1/groups/create", { name: randomUUID() })
  const memberIds = async (): Promise<string[]> =>
    (await admin("GET", `${path}/members`)).items.map(({ id }: { id: string }) => id)
  const roleOf = async ({ id }: Person): Promise<string | undefined> =>
    (await admin("GET", `${path}/members`)).items.find((one: { id: string }) => one.id === id)?.role

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, {
      SCIM_ENABLED: "true",
      SCIM_TOKEN: scimToken,
      SCIM_RATE_LIMIT: "off",
    })
    manager = await gateway.createUser("Manager")
    colleague = await gateway.createUser("Colleague")
    member = await gateway.createUser("Member")
    stranger = await gateway.createUser("Stranger")
    groupId = (await newGroup()).id
    path = `/api/v1/groups/${groupId}`
    otherPath = `/api/v1/groups/${(await newGroup()).id}`
    const user_ids = [manager.id, colleague.id, member.id]
    await admin("POST", `${path}/members/add`, { user_ids })
    await admin("POST", `${path}/managers/add`, { user_ids: [manager.id, colleague.id] })
  })
  afterAll(() => gateway.stop())

  it("are appointed by administrators from its members, and shown to everyone as what they are", async () => {
    expect([await roleOf(manager), await roleOf(member)]).toEqual(["manager", "member"])
    const outside = { user_ids: [stranger.id] }
    expect((await gateway.call("POST", `${path}/managers/add`, outside)).status).toBe(409)
    for (const person of [manager, member]) {
      const appointed = { user_ids: [member.id] }
      expect((await as(person, "POST", `${path}/managers/add`, appointed)).status).toBe(403)
    }
    const own = await as(manager, "GET", "/api/v1/groups/mine")
    expect(own.body).toMatchObject([{ id: groupId, role: "manager" }])
    expect((await as(member, "GET", "/api/v1/groups/mine")).body[0].role).toBe("member")
  })

  it("manage their own group, and nothing else of groups", async () => {
    const made = await as(manager, "POST", `${path}/keys`, { name: "Made" })
    expect(made.status).toBe(200)
    const allowed = [
      ["GET", path],
      ["GET", `${path}/members`],
      ["GET", `${path}/keys`],
      ["DELETE", `${path}/keys/${made.body.id}`],
    ] as const
    for (const [method, url] of allowed)
      expect([url, (await as(manager, method, url)).status]).toEqual([url, 200])
    const body = { user_ids: [member.id], name: "renamed" }
    const refused = [
      ["POST", `${path}/update`],
      ["DELETE", path],
      ["GET", "/api/v1/groups"],
      ["POST", "/api/v1/groups/create"],
      ["GET", otherPath],
      ["GET", `${otherPath}/members`],
      ["GET", `${otherPath}/keys`],
      ["POST", `${otherPath}/keys`],
      ["POST", `${otherPath}/members/add`],
      ["POST", `${otherPath}/members/remove`],
      // Nobody learns from it which groups exist.
      ["GET", `/api/v1/groups/${randomUUID()}`],
    ] as const
    for (const [method, url] of refused) {
      const sent = method === "POST" ? body : undefined
      expect([url, (await as(manager, method, url, sent)).status]).toEqual([url, 403])
    }
  })

  it("alone may do so: other members and strangers may not", async () => {
    const made = await as(manager, "POST", `${path}/keys`, { name: "Made" })
    const body = { user_ids: [stranger.id] }
    const requests = [
      ["GET", path],
      ["GET", `${path}/members`],
      ["POST", `${path}/members/add`],
      ["POST", `${path}/members/remove`],
      ["GET", `${path}/keys`],
      ["POST", `${path}/keys`],
      ["DELETE", `${path}/keys/${made.body.id}`],
    ] as const
    for (const person of [member, stranger]) {
      for (const [method, url] of requests) {
        const sent = method === "POST" ? body : undefined
        expect([url, (await as(person, method, url, sent)).status]).toEqual([url, 403])
      }
    }
    const { body: keys } = await as(manager, "GET", `${path}/keys`)
    expect(keys.map(({ id }: { id: string }) => id)).toContain(made.body.id)
  })

  it("revoke no keys but those of their group", async () => {
    const foreign = await admin("POST", `${otherPath}/keys`, {})
    const { body: own } = await as(member, "POST", "/api/v1/auths/api_keys", {})
    for (const { id } of [foreign, own])
      expect((await as(manager, "DELETE", `${path}/keys/${id}`)).status).toBe(404)
    expect((await gateway.call("GET", "/v1/models", undefined, { key: own.api_key })).status).toBe(
      200,
    )
  })

  it("add and remove members, also by email address, but no other managers", async () => {
    const emails = { emails: [stranger.email.toUpperCase()] }
    expect((await as(manager, "POST", `${path}/members/add`, emails)).status).toBe(200)
    expect(await memberIds()).toContain(stranger.id)
    const remove = (person: Person, id: string) =>
      as(person, "POST", `${path}/members/remove`, { user_ids: [id] })
    expect((await remove(manager, stranger.id)).status).toBe(200)
    expect(await memberIds()).not.toContain(stranger.id)
    expect((await remove(manager, colleague.id)).status).toBe(403)
    expect(await roleOf(colleague)).toBe("manager")
    const unknown = await as(manager, "POST", `${path}/members/add`, { emails: ["x@y.example"] })
    expect(unknown).toMatchObject({ status: 422 })
  })

  it("add nobody by an id, which would tell them the address, and no inactive accounts", async () => {
    const add = (body: object) => as(manager, "POST", `${path}/members/add`, body)
    expect((await add({ user_ids: [member.id, stranger.id] })).status).toBe(403)
    const pending = await gateway.createUser("Pending")
    await admin("POST", `/api/v1/users/${pending.id}/update`, { role: "pending" })
    const deactivated = await gateway.createUser("Deactivated")
    await admin("POST", `/api/v1/users/${deactivated.id}/update`, { active: false })
    for (const { email } of [pending, deactivated])
      expect((await add({ emails: [email] })).status).toBe(422)
    const ids = await memberIds()
    for (const { id } of [stranger, pending, deactivated]) expect(ids).not.toContain(id)
    expect((await add({ user_ids: [member.id] })).status).toBe(200)
  })

  it("are recorded with each account that they added, once", async () => {
    const { email, id } = await gateway.createUser("Added")
    const emails = [email, email.toUpperCase(), member.email]
    expect((await as(manager, "POST", `${path}/members/add`, { emails })).status).toBe(200)
    const { items } = await admin("GET", `/api/v1/audit?target=${groupId}`)
    expect(items[0]).toMatchObject({ action: "group.members_changed", after: { added: [id] } })
  })

  it("manage nothing once their account is pending, even if a request was already let in", async () => {
    const person = await gateway.createUser("Setback")
    const user_ids = [person.id]
    await admin("POST", `${path}/members/add`, { user_ids })
    await admin("POST", `${path}/managers/add`, { user_ids })
    expect((await as(person, "GET", path)).status).toBe(200)
    // Without the notification that follows, as if it were still under way.
    await gateway.gateway.db.transact((tx) =>
      tx.updateTable("users").set({ role: "pending" }).where("id", "=", person.id).execute(),
    )
    expect((await as(person, "POST", `${path}/keys`, {})).status).toBe(403)
  })

  it("cannot do it with a restricted key", async () => {
    const limits = { allowed_routes: ["/*"] }
    const { body } = await as(manager, "POST", "/api/v1/auths/api_keys", limits)
    const options = { key: body.api_key }
    expect((await gateway.call("POST", `${path}/keys`, {}, options)).status).toBe(403)
  })

  it("lose the role when they are dismissed, and when they leave the group", async () => {
    const mayManage = async (person: Person) => (await as(person, "GET", path)).status === 200
    const user_ids = [colleague.id]
    await admin("POST", `${path}/managers/remove`, { user_ids })
    expect(await mayManage(colleague)).toBe(false)
    await admin("POST", `${path}/managers/add`, { user_ids })
    expect(await mayManage(colleague)).toBe(true)
    await admin("POST", `${path}/members/remove`, { user_ids })
    await admin("POST", `${path}/members/add`, { user_ids })
    expect([await mayManage(colleague), await roleOf(colleague)]).toEqual([false, "member"])
  })

  it("keep the role while the identity provider keeps them, and may not change its members", async () => {
    const send = (method: string, url: string, body: object) =>
      gateway.call(method, `${scim}${url}`, body, { key: scimToken })
    const members = [manager, member].map(({ id }) => ({ value: id }))
    const displayName = randomUUID()
    const created = await send("POST", "/Groups", { displayName, members })
    expect(created.status).toBe(201)
    const url = `/api/v1/groups/${created.body.id}`
    await admin("POST", `${url}/managers/add`, { user_ids: [manager.id] })
    const replace = (kept: Person[]) =>
      send("PUT", `/Groups/${created.body.id}`, {
        displayName,
        members: kept.map(({ id }) => ({ value: id })),
      })
    expect((await replace([manager, stranger])).status).toBe(200)
    expect((await as(manager, "POST", `${url}/keys`, {})).status).toBe(200)
    for (const [verb, body] of [
      ["add", { emails: [member.email] }],
      ["remove", { user_ids: [member.id] }],
    ] as const) {
      const changed = await as(manager, "POST", `${url}/members/${verb}`, body)
      expect(changed.status).toBe(409)
    }
    await replace([stranger])
    expect((await as(manager, "GET", `${url}/keys`)).status).toBe(403)
    await replace([stranger, manager])
    expect((await as(manager, "GET", `${url}/keys`)).status).toBe(403)
  })
})

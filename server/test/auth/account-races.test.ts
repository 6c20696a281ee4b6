import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { sendIncompleteRequest } from "../http/incomplete-request.ts"
import { createScimClient, scimToken, userSchema } from "../scim/scim-client.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** Long enough for another request to be served while a password is hashed. */
const slowHashing = { passwordCost: { logCost: 16, blockSize: 8, parallel: 1 } }

describe.each(chooseDatabases())("races with account changes on $name", ({ createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    const scim = { SCIM_ENABLED: "true", SCIM_TOKEN: scimToken }
    gateway = await startGatewayOnDatabase(createDatabase, { ...scim }, slowHashing)
  })
  afterAll(() => gateway.stop())

  const change = (id: string, body: object, key = gateway.key) =>
    gateway.call("POST", `/api/v1/users/${id}/update`, body, { key })
  const roleOf = async (id: string) => (await gateway.call("GET", `/api/v1/users/${id}`)).body.role

  const createAdmin = async (name: string) => {
    const user = await gateway.createUser(name)
    expect((await change(user.id, { role: "admin" })).status).toBe(200)
    return user
  }

  it("never let a demoted administrator regain the role by an update in progress", async () => {
    const bob = await createAdmin("Bob")
    const undoing = change(bob.id, { role: "admin", password: "a new password" }, bob.key)
    await waitForEarlierRequests(gateway, bob.key)
    expect((await change(bob.id, { role: "user" })).status).toBe(200)
    expect((await undoing).status).toBe(403)
    expect(await roleOf(bob.id)).toBe("user")
  })

  it("never let a demoted administrator create an account by a request in progress", async () => {
    const carl = await createAdmin("Carl")
    const account = {
      name: "Heir",
      email: "heir@example.com",
      password: "heir of Carl",
      role: "admin",
    }
    const adding = gateway.call("POST", "/api/v1/auths/add", account, { key: carl.key })
    await waitForEarlierRequests(gateway, carl.key)
    expect((await change(carl.id, { role: "user" })).status).toBe(200)
    expect((await adding).status).toBe(403)
  })

  it("are prevented by checking the caller again when the request body has arrived", async () => {
    const dora = await createAdmin("Dora")
    const path = `/api/v1/users/${dora.id}/update`
    const demoted = await sendIncompleteRequest(gateway, {
      path,
      body: { role: "admin" },
      key: dora.key,
    })
    const path2 = "/api/v1/knowledge/create"
    const ended = await sendIncompleteRequest(gateway, {
      path: path2,
      body: { name: "x" },
      key: dora.key,
    })
    expect((await change(dora.id, { role: "user" })).status).toBe(200)
    expect(await demoted.finish()).toBe(403)
    expect(await roleOf(dora.id)).toBe("user")
    expect((await change(dora.id, { active: false })).status).toBe(200)
    expect(await ended.finish()).toBe(401)
  })

  it("never overwrite the password that an administrator sets while the user changes it", async () => {
    const eli = await gateway.createUser("Eli")
    const passwords = { password: "Eli has a password", new_password: "chosen by the thief" }
    const changing = gateway.call("POST", "/api/v1/auths/update/password", passwords, {
      key: eli.key,
    })
    await waitForEarlierRequests(gateway, eli.key)
    expect((await change(eli.id, { password: "set by the administrator" })).status).toBe(200)
    await changing
    const signIn = (password: string) =>
      gateway.call("POST", "/api/v1/auths/signin", { email: eli.email, password })
    expect((await signIn("set by the administrator")).status).toBe(200)
    expect((await signIn("chosen by the thief")).status).toBe(401)
  })

  it("leave no valid key of a user who is deleted while creating keys", async () => {
    const scim = createScimClient(gateway)
    const fay = await gateway.createUser("Fay")
    const keys: string[] = []
    const isDone = { now: false }
    const create = async (): Promise<void> => {
      while (!isDone.now) {
        const created = await gateway.call(
          "POST",
          "/api/v1/auths/api_keys",
          { name: "k" },
          { key: fay.key },
        )
        if (created.status !== 200) return
        keys.push(created.body.api_key)
      }
    }
    const creating = Array.from({ length: 8 }, create)
    await expect.poll(() => keys.length).toBeGreaterThan(0)
    const ended = await scim.call("DELETE", `/Users/${fay.id}`)
    isDone.now = true
    await Promise.all(creating)
    expect(ended.status).toBe(204)
    const revived = await scim.call("POST", "/Users", {
      schemas: [userSchema],
      userName: fay.email,
    })
    expect(revived).toMatchObject({ status: 201, body: { id: fay.id } })
    for (const key of [fay.key, ...keys]) {
      expect((await gateway.call("GET", "/api/v1/auths/", undefined, { key })).status).toBe(401)
    }
  })

  it("leave the audit log of concurrent settings changes consistent", async () => {
    const hours = Array.from({ length: 12 }, (_, index) => (index + 2) * 3600)
    await Promise.all(
      hours.map((jwt_expires_in) => gateway.call("POST", "/api/v1/settings", { jwt_expires_in })),
    )
    const { body } = await gateway.call("GET", "/api/v1/audit?action=settings.changed&page_size=50")
    const events = body.items.toSorted((a: { id: string }, b: { id: string }) =>
      a.id.localeCompare(b.id),
    )
    expect(events).toHaveLength(hours.length)
    const seen = events.map(({ before }: { before: object }) => JSON.stringify(before))
    expect(new Set(seen).size).toBe(hours.length)
  })
})

import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminEmail, adminKey } from "../harness/gateway.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { describeScim, type ScimClient } from "./scim-client.ts"

const deactivate = { op: "replace", path: "active", value: false }
const activate = { op: "replace", path: "active", value: true }

/** Creates a local account with a session and an API key, and links it to SCIM. */
const createPerson = async ({ gateway, find }: ScimClient, name: string) => {
  const { id, email, key } = await gateway.createUser(name)
  const signIn = () =>
    gateway.call("POST", "/api/v1/auths/signin", { email, password: `${name} has a password` })
  const token: string = (await signIn()).body.token
  const status = async (secret: string): Promise<number> =>
    (await gateway.call("GET", "/api/v1/auths/", undefined, { key: secret })).status
  expect((await find("Users", `userName eq "${email}"`)).body.Resources).toMatchObject([{ id }])
  return { id, email, key, token, status, signIn }
}

const fetchUser = async ({ gateway }: ScimClient, id: string) =>
  (await gateway.call("GET", `/api/v1/users/${id}`)).body

describeScim("Access by SCIM", (client) => {
  it("ends immediately with active: false, and active: true restores all but sessions", async () => {
    const { id, key, token, status, signIn } = await createPerson(client(), "Mara")
    expect([await status(key), await status(token)]).toEqual([200, 200])
    await client().patch(`/Users/${id}`, deactivate)
    expect([await status(key), await status(token)]).toEqual([401, 401])
    expect((await signIn()).status).toBe(401)
    await client().patch(`/Users/${id}`, activate)
    expect([await status(key), await status(token)]).toEqual([200, 401])
    expect((await signIn()).status).toBe(200)
  })

  it("ends with PUT too, and PUT without active keeps the state", async () => {
    const { id, email, key, status } = await createPerson(client(), "Milo")
    await client().call("PUT", `/Users/${id}`, { userName: email, active: "False" })
    expect(await status(key)).toBe(401)
    const kept = await client().call("PUT", `/Users/${id}`, { userName: email })
    expect(kept.body.active).toBe(false)
  })

  it("ends with DELETE: keys and memberships are removed, and the user is read as inactive", async () => {
    const { id, key, token, status } = await createPerson(client(), "Mina")
    const group = await client().createGroup("Of Mina", [id])
    expect(await client().call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 })
    const read = await client().call("GET", `/Users/${id}`)
    expect(read).toMatchObject({ status: 200, body: { id, active: false } })
    expect(read.body).not.toHaveProperty("groups")
    expect((await client().call("GET", `/Groups/${group.id}`)).body.members).toEqual([])
    await client().patch(`/Users/${id}`, activate)
    expect([await status(key), await status(token)]).toEqual([401, 401])
    expect(await client().call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 })
    expect(await client().call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 })
  })

  it("is restored by POST after DELETE, for the same account, unless externalId differs", async () => {
    const made = await client().createUser("max", { externalId: "m-1" })
    const restoredUser = {
      userName: "MAX@example.org",
      externalId: "m-1",
      displayName: "Max again",
    }
    expect(await client().call("POST", "/Users", restoredUser)).toMatchObject({ status: 409 })
    await client().call("DELETE", `/Users/${made.id}`)
    const other = { ...restoredUser, externalId: "m-2" }
    expect(await client().call("POST", "/Users", other)).toMatchObject({ status: 409 })
    const revived = await client().call("POST", "/Users", restoredUser)
    expect(revived).toMatchObject({
      status: 201,
      body: { id: made.id, active: true, userName: "MAX@example.org", displayName: "Max again" },
    })
    expect(await client().call("POST", "/Users", restoredUser)).toMatchObject({ status: 409 })
    await client().call("DELETE", `/Users/${made.id}`)
    const bare = await client().call("POST", "/Users", { userName: "max@example.org" })
    expect(bare).toMatchObject({ status: 201, body: { id: made.id, externalId: "m-1" } })
  })

  it("is not restored by POST after PUT or PATCH made the user inactive", async () => {
    const { id, userName } = await client().createUser("moritz")
    await client().patch(`/Users/${id}`, deactivate)
    expect(await client().call("POST", "/Users", { userName })).toMatchObject({ status: 409 })
  })

  it("of the last active administrator cannot be removed, with a SCIM error", async () => {
    const found = await client().find("Users", `userName eq "${adminEmail}"`)
    const [{ id, userName }] = found.body.Resources
    for (const attempt of [
      client().call("DELETE", `/Users/${id}`),
      client().patch(`/Users/${id}`, deactivate),
      client().call("PUT", `/Users/${id}`, { userName, active: false }),
    ]) {
      expect(await attempt).toMatchObject({ status: 403, body: { status: "403" } })
    }
    expect((await client().call("GET", `/Users/${id}`)).body.active).toBe(true)
    const { status } = await client().gateway.call("GET", "/api/v1/users/", undefined, {
      key: adminKey,
    })
    expect(status).toBe(200)
  })

  it("includes no role for new or restored users", async () => {
    const roles = { roles: [{ value: "admin", primary: true }], userType: "admin", role: "admin" }
    const made = await client().createUser("malice", roles)
    expect(await fetchUser(client(), made.id)).toMatchObject({ role: "user", source: "scim" })
    await client().patch(`/Users/${made.id}`, { op: "add", path: "roles", value: roles.roles })
    await client().patch(`/Users/${made.id}`, { op: "replace", value: { role: "admin" } })
    expect(await fetchUser(client(), made.id)).toMatchObject({ role: "user" })
    const path = `/api/v1/users/${made.id}/update`
    await client().gateway.call("POST", path, { role: "admin" })
    await client().call("DELETE", `/Users/${made.id}`)
    await client().call("POST", "/Users", { userName: made.userName })
    expect(await fetchUser(client(), made.id)).toMatchObject({ role: "user", active: true })
  })

  it("keeps a name set by an administrator until the provider's names change", async () => {
    const { id } = await client().createUser("mona")
    await client().gateway.call("POST", `/api/v1/users/${id}/update`, { name: "Mona of Sales" })
    await client().patch(`/Users/${id}`, { op: "add", path: "externalId", value: "m-9" })
    expect(await fetchUser(client(), id)).toMatchObject({ name: "Mona of Sales" })
    await client().patch(`/Users/${id}`, { op: "add", path: "displayName", value: "Mona L." })
    expect(await fetchUser(client(), id)).toMatchObject({ name: "Mona L." })
  })

  it("controls its groups: they cannot be renamed or changed elsewhere", async () => {
    const { gateway } = client()
    const { id } = await client().createUser("mats")
    const group = await client().createGroup("Kept by SCIM", [id])
    const path = `/api/v1/groups/${group.id}`
    expect((await gateway.call("GET", path)).body).toMatchObject({
      source: "scim",
      member_count: 1,
    })
    const renamed = await gateway.call("POST", `${path}/update`, { name: "Mine" })
    const emptied = await gateway.call("POST", `${path}/members/remove`, { user_ids: [id] })
    expect([renamed.status, emptied.status]).toEqual([409, 409])
    const described = await gateway.call("POST", `${path}/update`, { description: "From Entra" })
    expect(described.status).toBe(200)
  })
})

describeScim(
  "SCIM_DELETE_MODE=hide",
  (client) => {
    it("hides a user after DELETE, and creates a new account for the same userName", async () => {
      const made = await client().createUser("nils", { externalId: "n-1" })
      const group = await client().createGroup("Of Nils", [made.id])
      expect(await client().call("DELETE", `/Users/${made.id}`)).toMatchObject({ status: 204 })
      for (const method of ["GET", "DELETE"]) {
        expect(await client().call(method, `/Users/${made.id}`)).toMatchObject({ status: 404 })
      }
      expect(await client().patch(`/Users/${made.id}`, activate)).toMatchObject({ status: 404 })
      const found = await client().find("Users", 'userName eq "nils@example.org"')
      expect(found.body.totalResults).toBe(0)
      const member = { op: "add", path: "members", value: [{ value: made.id }] }
      expect(await client().patch(`/Groups/${group.id}`, member)).toMatchObject({ status: 400 })
      const restoredUser = await client().createUser("nils", { externalId: "n-2" })
      expect(restoredUser.id).not.toBe(made.id)
    })

    it("keeps an account that PATCH made inactive", async () => {
      const made = await client().createUser("nora")
      await client().patch(`/Users/${made.id}`, deactivate)
      expect((await client().call("GET", `/Users/${made.id}`)).body.active).toBe(false)
      const restoredUser = await client().call("POST", "/Users", { userName: made.userName })
      expect(restoredUser.status).toBe(409)
    })
  },
  { SCIM_DELETE_MODE: "hide" },
)

let upstream: FakeOpenAI
beforeAll(async () => {
  upstream = await startFakeOpenAI({ apiKey: "up-key" })
})
afterAll(() => upstream.close())

describeScim("A stream", (client) => {
  it("ends promptly when its user is deactivated", async () => {
    const { gateway } = client()
    await gateway.call("POST", "/api/v1/connections/create", {
      kind: "openai",
      name: "fake",
      base_url: upstream.url,
      api_key: "up-key",
    })
    const { id, key } = await createPerson(client(), "Olli")
    upstream.pace.chunks = 400
    upstream.pace.delayMs = 50
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: "gpt-fake",
        stream: true,
        messages: [{ role: "user", content: "Count" }],
      }),
    })
    expect(response.status).toBe(200)
    const begun = Promise.withResolvers<void>()
    const read = async (): Promise<string> => {
      let text = ""
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk)
        begun.resolve()
      }
      return text
    }
    const reading = read().catch(() => "cut")
    await begun.promise
    const started = performance.now()
    await client().patch(`/Users/${id}`, deactivate)
    const text = await reading
    expect(performance.now() - started).toBeLessThan(maxDelayMs)
    expect(text).not.toContain("[DONE]")
  })
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminEmail, adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"

const password = "a password of some length"
const nobody = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
const accountOf = (name: string) => ({ name, email: `${name}@example.com`, password })
const stranger = { key: null }

describe.each(chooseDatabases())("the first account on $name", ({ createDatabase }) => {
  let testDatabase: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    testDatabase = await createDatabase()
    gateway = await startGateway({ ...testDatabase.env, ...nobody })
  })
  afterAll(async () => {
    await gateway.stop()
    await testDatabase.remove()
  })

  const signUp = (name: string) =>
    gateway.call("POST", "/api/v1/auths/signup", accountOf(name), stranger)

  it("becomes the administrator, and only one of two concurrent sign-ups does", async () => {
    expect((await gateway.call("GET", "/api/config", undefined, stranger)).body.first_run).toBe(
      true,
    )
    const replies = await Promise.all([signUp("first"), signUp("second")])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403])
    const [created] = replies.filter(({ status }) => status === 200)
    expect(created?.body).toMatchObject({ role: "admin", token_type: "Bearer" })
    const users = await gateway.call("GET", "/api/v1/users/", undefined, {
      key: created?.body.token,
    })
    expect(users.body).toMatchObject({ total: 1, items: [{ role: "admin", active: true }] })
    expect((await gateway.call("GET", "/api/config", undefined, stranger)).body.first_run).toBe(
      false,
    )
  })

  it("disables sign-up until an administrator enables it", async () => {
    const refused = await signUp("third")
    expect(refused).toMatchObject({ status: 403, body: { code: "signup_disabled" } })
    const signedIn = await Promise.all(
      ["first", "second"].map((name) =>
        gateway.call("POST", "/api/v1/auths/signin", accountOf(name), stranger),
      ),
    )
    const key = signedIn.find(({ status }) => status === 200)?.body.token
    const on = { enable_signup: true }
    expect((await gateway.call("POST", "/api/v1/settings/", on, { key })).status).toBe(200)
    expect(await signUp("fourth")).toMatchObject({ status: 200, body: { role: "pending" } })
  })
})

describe.each(chooseDatabases())("accounts on $name", ({ createDatabase }) => {
  let testDatabase: TestDatabase
  let gateway: TestGateway
  let token: string

  beforeAll(async () => {
    testDatabase = await createDatabase()
    gateway = await startGateway({
      ...testDatabase.env,
      ENABLE_SIGNUP: "true",
      PUBLIC_URL: "https://models.example.com",
    })
    token = await tokenOf(adminEmail, adminPassword)
  })
  afterAll(async () => {
    await gateway.stop()
    await testDatabase.remove()
  })

  const call: TestGateway["call"] = (...args) => gateway.call(...args)
  const signIn = (email: string, secret = password) =>
    call("POST", "/api/v1/auths/signin", { email, password: secret }, stranger)
  const tokenOf = async (email: string, secret = password): Promise<string> =>
    (await signIn(email, secret)).body.token
  const whoAmI = (key: string | null, headers = {}) =>
    call("GET", "/api/v1/auths/", undefined, { key, headers })
  const add = async (name: string, role = "user") =>
    (await call("POST", "/api/v1/auths/add", { ...accountOf(name), role })).body

  it("locks the sign-up setting if an environment variable sets it", async () => {
    const refused = await call("POST", "/api/v1/settings/", { enable_signup: false })
    expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } })
    expect(refused.body.detail).toContain("ENABLE_SIGNUP")
    const { body } = await call("GET", "/api/v1/settings/")
    expect(body).toMatchObject({
      values: { enable_signup: true },
      locked: { enable_signup: "ENABLE_SIGNUP" },
    })
  })

  it("lets a pending user sign in and read their own account, but nothing else", async () => {
    const { body } = await call("POST", "/api/v1/auths/signup", accountOf("pending"), stranger)
    expect(body).toMatchObject({ role: "pending", email: "pending@example.com" })
    const key = await tokenOf("pending@example.com")
    expect(await whoAmI(key)).toMatchObject({ status: 200, body: { role: "pending" } })
    for (const [method, path] of [
      ["GET", "/api/models"],
      ["POST", "/v1/chat/completions"],
      ["GET", "/api/v1/auths/api_keys"],
      ["POST", "/api/v1/auths/update/profile"],
      ["POST", "/api/v1/auths/update/password"],
      ["GET", "/api/v1/users/"],
    ]) {
      const { status, body } = await call(
        method ?? "",
        path ?? "",
        method === "POST" ? {} : undefined,
        { key },
      )
      expect([path, status, body.code ?? body.error.code]).toEqual([path, 403, "account_pending"])
    }
    const { id } = body
    await call("POST", `/api/v1/users/${id}/update`, { role: "user" })
    expect((await call("GET", "/api/models", undefined, { key })).status).toBe(200)
  })

  it("gives the same response for a wrong password and an unknown account", async () => {
    await add("known")
    const wrong = await signIn("known@example.com", "not the password")
    const unknown = await signIn("unknown@example.com", "not the password")
    expect(wrong.status).toBe(401)
    expect(unknown).toMatchObject({ status: 401, body: wrong.body })
    expect(wrong.headers.get("www-authenticate")).toBe("Bearer")
    expect((await signIn("KNOWN@Example.com ")).status).toBe(200)
  })

  it("rejects administrators' requests from users", async () => {
    const { id } = await add("plain")
    const key = await tokenOf("plain@example.com")
    for (const [method, path] of [
      ["GET", "/api/v1/users/"],
      ["GET", `/api/v1/users/${id}`],
      ["POST", `/api/v1/users/${id}/update`],
      ["DELETE", `/api/v1/users/${id}`],
      ["POST", "/api/v1/auths/add"],
      ["GET", "/api/v1/settings/"],
      ["GET", "/api/v1/groups/"],
      ["GET", "/api/v1/connections/"],
    ]) {
      const { status, body } = await call(method ?? "", path ?? "", undefined, { key })
      expect([path, status, body.code]).toEqual([path, 403, "forbidden"])
    }
  })

  it("updates a profile, and ends other sessions when the password changes", async () => {
    await add("changes")
    const [here, there] = [
      await tokenOf("changes@example.com"),
      await tokenOf("changes@example.com"),
    ]
    const renamed = await call(
      "POST",
      "/api/v1/auths/update/profile",
      { name: "Anew" },
      { key: here },
    )
    expect(renamed.body).toMatchObject({ name: "Anew", given_name: "Anew" })
    expect((await whoAmI(there)).body.name).toBe("Anew")

    const change = (old: string) =>
      call(
        "POST",
        "/api/v1/auths/update/password",
        { password: old, new_password: "another password" },
        { key: here },
      )
    expect(await change("wrong")).toMatchObject({
      status: 422,
      body: { errors: [{ path: "password" }] },
    })
    const changed = await change(password)
    expect(changed.status).toBe(200)
    expect((await whoAmI(here)).status).toBe(401)
    expect((await whoAmI(there)).status).toBe(401)
    expect((await whoAmI(changed.body.token)).status).toBe(200)
    expect((await signIn("changes@example.com")).status).toBe(401)
    expect((await signIn("changes@example.com", "another password")).status).toBe(200)
  })

  it("lists a user's sessions, ends one of them, and signs out of the current one", async () => {
    await add("sessions")
    const [one, two] = [
      await tokenOf("sessions@example.com"),
      await tokenOf("sessions@example.com"),
    ]
    const { body } = await call("GET", "/api/v1/auths/sessions", undefined, { key: one })
    expect(body.map(({ current }: { current: boolean }) => current).sort()).toEqual([false, true])
    const other = body.find(({ current }: { current: boolean }) => !current)
    const end = (key: string) =>
      call("DELETE", `/api/v1/auths/sessions/${other.id}`, undefined, { key })
    expect((await end(token)).status).toBe(404)
    expect((await whoAmI(two)).status).toBe(200)
    expect((await end(one)).status).toBe(200)
    expect((await whoAmI(two)).status).toBe(401)
    expect((await end(one)).status).toBe(404)
    const out = await call("POST", "/api/v1/auths/signout", undefined, { key: one })
    expect(out.headers.get("set-cookie")).toMatch(/^token=; Path=\/; HttpOnly; .*Max-Age=0/)
    expect((await whoAmI(one)).status).toBe(401)
  })

  it("searches, sorts and paginates the list of users", async () => {
    for (const name of ["list-c", "list-a", "list-b"]) await add(name)
    const names = async (query: string) =>
      (await call("GET", `/api/v1/users/?query=LIST-&${query}`)).body
    const page = await names("order_by=name&direction=desc&page_size=2&page=2")
    expect(page).toMatchObject({ total: 3, items: [{ name: "list-a" }] })
    expect((await names("order_by=email")).items).toHaveLength(3)
    expect((await names("role=admin")).total).toBe(0)
    for (const bad of [
      "page=0",
      "page_size=201",
      "order_by=password_hash",
      "direction=up",
      "page=1e9x",
    ]) {
      expect([bad, (await call("GET", `/api/v1/users/?${bad}`)).status]).toEqual([bad, 422])
    }
  })

  it("never loses its last active administrator", async () => {
    const { body: me } = await whoAmI(token)
    const demotions = [
      () => call("DELETE", `/api/v1/users/${me.id}`),
      () => call("POST", `/api/v1/users/${me.id}/update`, { role: "user" }),
      () => call("POST", `/api/v1/users/${me.id}/update`, { active: false }),
    ]
    for (const attempt of demotions) {
      expect(await attempt()).toMatchObject({ status: 403, body: { code: "last_admin" } })
    }
    const second = await add("second-admin", "admin")
    const key = await tokenOf("second-admin@example.com")
    expect((await whoAmI(key)).status).toBe(200)
    const demote = { role: "user" }
    const outcomes = await Promise.all([
      call("POST", `/api/v1/users/${me.id}/update`, demote, { key }),
      call("POST", `/api/v1/users/${second.id}/update`, { active: false }, { key: token }),
    ])
    // One request fails, because its caller has just been demoted or deactivated.
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status } of outcomes) expect([200, 401, 403]).toContain(status)
    const admins = await database()
    expect(admins).toHaveLength(1)
    const rescue = { role: "admin" as const, active: true }
    for (const id of [me.id, second.id]) await gateway.gateway.users.update(actor, id, rescue)
  })

  const actor = { type: "system", id: null, key_id: null, address: null, request_id: null } as const
  const database = () =>
    gateway.gateway.db.read
      .selectFrom("users")
      .select("id")
      .where("role", "=", "admin")
      .where("active", "=", 1)
      .execute()
})

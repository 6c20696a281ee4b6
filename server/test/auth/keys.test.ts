import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminEmail, adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"

const hello = (model = "gpt-fake") => ({ model, messages: [{ role: "user", content: "hello" }] })
const nowInSeconds = () => Math.floor(Date.now() / 1000)
const keysPath = "/api/v1/auths/api_keys"

describe.each(chooseDatabases())("API keys on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let user: { id: string; key: string }
  let other: { id: string; key: string }

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    user = await gateway.createUser("Grace")
    other = await gateway.createUser("Other")
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const call: TestGateway["call"] = (...args) => gateway.call(...args)
  const create = async (input: object) =>
    (await call("POST", keysPath, input, { key: user.key })).body
  const status = async (key: string, path = "/api/models") =>
    (await call("GET", path, undefined, { key })).status

  it("return their secret only once, and are stored only as a SHA-256 hash", async () => {
    const created = await create({ name: "laptop" })
    expect(created.api_key).toMatch(/^sk-[\w-]{43}$/)
    expect(created).toMatchObject({
      name: "laptop",
      hint: created.api_key.slice(-4),
      expires_at: null,
    })
    const listed = await call("GET", keysPath, undefined, { key: user.key })
    expect(listed.body.map(({ id }: { id: string }) => id)).toContain(created.id)
    expect(JSON.stringify(listed.body)).not.toContain(created.api_key)
    const rows = await gateway.gateway.db.read.selectFrom("api_keys").selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(created.api_key.slice(3, 20))
    const hash = createHash("sha256").update(created.api_key).digest("hex")
    expect(rows.map((row) => row.hash)).toContain(hash)
    expect(await status(created.api_key)).toBe(200)
  })

  it("can be revoked only by their owner", async () => {
    const created = await create({ name: "to revoke" })
    const revoke = (key: string) => call("DELETE", `${keysPath}/${created.id}`, undefined, { key })
    for (const stranger of [other.key, adminKey]) {
      expect(await revoke(stranger)).toMatchObject({ status: 404, body: { code: "not_found" } })
    }
    expect(await status(created.api_key)).toBe(200)
    expect((await revoke(user.key)).status).toBe(200)
    expect(await status(created.api_key)).toBe(401)
    expect((await revoke(user.key)).status).toBe(404)
    const theirs = await call("GET", keysPath, undefined, { key: other.key })
    expect(theirs.body).toHaveLength(1)
  })

  it("are rejected after they expire", async () => {
    const { api_key } = await create({ name: "short", expires_at: nowInSeconds() + 2 })
    expect(await status(api_key)).toBe(200)
    const past = await call("POST", keysPath, { expires_at: nowInSeconds() - 1 }, { key: user.key })
    expect(past).toMatchObject({ status: 422, body: { errors: [{ path: "expires_at" }] } })
    await expect.poll(() => status(api_key), { timeout: 4000 }).toBe(401)
  })

  it("allow only the models in their list", async () => {
    const { api_key: key } = await create({ name: "m", allowed_models: ["embed-fake"] })
    const { body } = await call("GET", "/v1/models", undefined, { key })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(["embed-fake"])
    const refused = await call("POST", "/v1/chat/completions", hello(), { key })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } })
    const embed = { model: "embed-fake", input: "hello" }
    expect((await call("POST", "/v1/embeddings", embed, { key })).status).toBe(200)
    const none = await create({ name: "none", allowed_models: [] })
    const requested = await call("POST", "/v1/chat/completions", hello(), { key: none.api_key })
    expect(requested.status).toBe(403)
  })

  it.each([
    [["/v1/chat/completions"], true, false],
    [["/api/chat/completions/"], true, false],
    [["/api/v1/chat/completions", "/v1/models"], true, true],
    [["/api/v1/*"], true, true],
    [["/v1/*"], true, true],
    [["/api/models*"], false, true],
    [["/api/v1/chat"], false, false],
    [[], false, false],
  ])("allow the routes %j, including their aliases", async (allowed_routes, chats, lists) => {
    const { api_key: key } = await create({ name: "r", allowed_routes })
    const chat = await call("POST", "/api/v1/chat/completions", hello(), { key })
    expect(chat.status).toBe(chats ? 200 : 403)
    expect((await call("GET", "/api/v1/models/", undefined, { key })).status).toBe(
      lists ? 200 : 403,
    )
    const own = await call("GET", "/api/v1/auths/", undefined, { key })
    expect(own.status).toBe(allowed_routes.includes("/api/v1/*") ? 200 : 403)
  })

  it.each([
    { allowed_models: ["gpt-fake"] },
    { allowed_routes: ["/api/v1/*"] },
    { expires_at: nowInSeconds() + 3600 },
  ])("cannot create a key with fewer limits than their own: %j", async (limits) => {
    const { api_key: key } = await create(limits)
    for (const path of [keysPath, "/api/v1/auths/api_key"]) {
      const refused = await call("POST", path, {}, { key })
      expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } })
    }
  })

  it("reject invalid limits", async () => {
    for (const bad of [
      { allowed_routes: ["no-slash"] },
      { allowed_routes: ["/a*b"] },
      { allowed_models: "gpt" },
      { expires_at: "tomorrow" },
      { name: "line\nbreak" },
      { name: "" },
    ]) {
      const { status: answered } = await call("POST", keysPath, bad, { key: user.key })
      expect([bad, answered]).toEqual([bad, 422])
    }
  })

  it("can be replaced at /auths/api_key, which holds one key per user", async () => {
    const path = "/api/v1/auths/api_key"
    const script = (method: string) => call(method, path, undefined, { key: other.key })
    expect((await script("GET")).status).toBe(404)
    const { api_key: first } = (await script("POST")).body
    expect(await status(first)).toBe(200)
    expect((await script("GET")).body).toEqual({ api_key: `sk-…${first.slice(-4)}` })
    const twice = await Promise.all([script("POST"), script("POST")])
    expect(twice.map((reply) => reply.status)).toEqual([200, 200])
    expect(await status(first)).toBe(401)
    const alive = await Promise.all(twice.map(({ body }) => status(body.api_key)))
    expect(alive.sort()).toEqual([200, 401])
    expect((await script("DELETE")).status).toBe(200)
    for (const { body } of twice) expect(await status(body.api_key)).toBe(401)
    expect((await script("DELETE")).status).toBe(200)
  })

  it("include ADMIN_API_KEY, for automated setups", async () => {
    const me = await call("GET", "/api/v1/auths/", undefined, { key: adminKey })
    expect(me.body).toMatchObject({ email: adminEmail, role: "admin" })
    const listed = await call("GET", keysPath)
    expect(listed.body).toMatchObject([{ name: "ADMIN_API_KEY" }])
  })
})

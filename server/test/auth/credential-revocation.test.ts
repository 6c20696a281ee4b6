import { once } from "node:events"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import {
  chooseDatabases,
  hasPostgres,
  postgresDatabase,
  type TestDatabase,
} from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { type StreamedCompletion, startStreamedCompletion } from "../harness/streamed-completion.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { waitFor } from "../harness/usage-records.ts"

interface Person {
  id: string
  /** Of the key. */
  keyId: string
  key: string
  token: string
}

let upstream: FakeOpenAI

beforeAll(async () => {
  upstream = await startFakeOpenAI()
})
afterAll(() => upstream.close())

let personCount = 0
const createPerson = async (gateway: TestGateway): Promise<Person> => {
  const email = `person-${personCount++}@example.com`
  const password = "a password of some length"
  const added = await gateway.call("POST", "/api/v1/auths/add", { name: "P", email, password })
  const { id } = added.body
  const signedIn = await gateway.call("POST", "/api/v1/auths/signin", { email, password })
  const { token } = signedIn.body
  const created = await gateway.call("POST", "/api/v1/auths/api_keys", {}, { key: token })
  return { id, keyId: created.body.id, key: created.body.api_key, token }
}

const status = async (gateway: TestGateway, key: string): Promise<number> =>
  (await gateway.call("GET", "/api/models", undefined, { key })).status

/** Ways to revoke a credential, and which of the two they revoke. */
const revocations: {
  how: string
  which: "key" | "token"
  revoke: (gateway: TestGateway, person: Person) => Promise<{ status: number }>
}[] = [
  {
    how: "a key is revoked",
    which: "key",
    revoke: (gateway, { keyId, key }) =>
      gateway.call("DELETE", `/api/v1/auths/api_keys/${keyId}`, undefined, { key }),
  },
  {
    how: "its user is deactivated",
    which: "key",
    revoke: (gateway, { id }) =>
      gateway.call("POST", `/api/v1/users/${id}/update`, { active: false }),
  },
  {
    how: "its user is deleted",
    which: "key",
    revoke: (gateway, { id }) => gateway.call("DELETE", `/api/v1/users/${id}`),
  },
  {
    how: "its user signs out",
    which: "token",
    revoke: (gateway, { token }) =>
      gateway.call("POST", "/api/v1/auths/signout", undefined, { key: token }),
  },
  {
    how: "its user's password is reset",
    which: "token",
    revoke: (gateway, { id }) =>
      gateway.call("POST", `/api/v1/users/${id}/update`, { password: "another password" }),
  },
]

const expectRevoked = async ({ body, endedAt }: StreamedCompletion, since: number) => {
  const text = await body
  expect((await endedAt) - since).toBeLessThan(maxDelayMs)
  const [last] = text.trim().split("\n\n").slice(-1)
  expect(last).toMatch(/^data: \{"error":\{/)
  expect(last).toContain("revoked")
  expect(text).not.toContain("[DONE]")
}

describe.each(chooseDatabases())("a revocation on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it.each(revocations)(
    "immediately ends requests and streams when $how",
    async ({ which, revoke }) => {
      const person = await createPerson(gateway)
      const running = await startStreamedCompletion(gateway, { key: person[which] })
      const reached = upstream.requests.filter(({ path }) => path.includes("chat")).at(-1)
      expect((await revoke(gateway, person)).status).toBe(200)
      const since = performance.now()
      expect(await status(gateway, person[which])).toBe(401)
      await expectRevoked(running, since)
      expect(await reached?.aborted).toBeGreaterThan(0)
    },
  )

  it("does not affect streams of others or of the user's other credentials", async () => {
    const [person, bystander] = [await createPerson(gateway), await createPerson(gateway)]
    const streams = [person.token, bystander.key].map((key) =>
      startStreamedCompletion(gateway, { key, seconds: 1 }),
    )
    await Promise.all(streams)
    await gateway.call("DELETE", `/api/v1/auths/api_keys/${person.keyId}`, undefined, {
      key: person.key,
    })
    for (const stream of streams) expect(await (await stream).body).toContain("[DONE]")
  })

  it("ends a request whose body has not fully arrived", async () => {
    const person = await createPerson(gateway)
    const body = JSON.stringify({
      model: "gpt-fake",
      stream: true,
      messages: [{ role: "user", content: "Count" }],
      metadata: { fake_chunks: 400, fake_delay_ms: 50 },
    })
    const sending = request(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${person.key}` },
    })
    const replied = once(sending, "response")
    await new Promise((sent) => sending.write(body.slice(0, 20), sent))
    // The gateway has answered later requests, so it has accepted this one.
    for (let n = 0; n < 3; n++) expect(await status(gateway, person.key)).toBe(200)
    await gateway.call("POST", `/api/v1/users/${person.id}/update`, { active: false })
    sending.end(body.slice(20))
    const since = performance.now()
    const [reply] = await replied
    const output = await text(reply)
    expect(performance.now() - since).toBeLessThan(maxDelayMs)
    expect(output).toContain("revoked")
    expect(output).not.toContain("[DONE]")
  })

  it("restores keys, but no session, when the user is reactivated", async () => {
    const { id, key, token } = await createPerson(gateway)
    const set = (active: boolean) => gateway.call("POST", `/api/v1/users/${id}/update`, { active })
    await set(false)
    expect([await status(gateway, key), await status(gateway, token)]).toEqual([401, 401])
    await set(true)
    expect([await status(gateway, key), await status(gateway, token)]).toEqual([200, 401])
  })

  it("of a group membership applies to the next request", async () => {
    const { id, key } = await createPerson(gateway)
    const group = (await gateway.call("POST", "/api/v1/groups/create", { name: "readers" })).body
    const grant = { principal_type: "group", principal_id: group.id, permission: "read" }
    const model = {
      id: "for-readers",
      name: "R",
      base_model_id: "gpt-fake",
      access_grants: [grant],
    }
    expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
    const change = (verb: string) =>
      gateway.call("POST", `/api/v1/groups/${group.id}/members/${verb}`, { user_ids: [id] })
    const chat = async () => {
      const body = { model: model.id, messages: [{ role: "user", content: "hi" }] }
      return (await gateway.call("POST", "/v1/chat/completions", body, { key })).status
    }
    expect(await chat()).toBe(404)
    expect((await change("add")).status).toBe(200)
    expect(await chat()).toBe(200)
    expect((await change("remove")).status).toBe(200)
    expect(await chat()).toBe(404)
    await change("add")
    expect(await chat()).toBe(200)
    const path = `/api/v1/groups/${group.id}?confirm=delete`
    expect((await gateway.call("DELETE", path)).status).toBe(200)
    expect(await chat()).toBe(404)
  })
})

describe.runIf(hasPostgres)("two gateways on one database", () => {
  let database: TestDatabase
  let first: TestGateway
  let second: TestGateway

  beforeAll(async () => {
    const postgres = postgresDatabase
    if (!postgres) throw new Error("PostgreSQL is not available")
    database = await postgres.createDatabase()
    const env = { ...database.env, OPENAI_API_BASE_URLS: upstream.url }
    ;[first, second] = await Promise.all([startGateway(env), startGateway(env)])
  })
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()])
    await database.remove()
  })

  it.each(revocations)("revoke credentials at both when $how", async ({ which, revoke }) => {
    const person = await createPerson(first)
    expect(await status(second, person[which])).toBe(200)
    const running = await startStreamedCompletion(second, { key: person[which] })
    expect((await revoke(first, person)).status).toBe(200)
    const since = performance.now()
    await expectRevoked(running, since)
    expect(await status(second, person[which])).toBe(401)
  })

  it("do not undo a revocation by a lookup that started before it", async () => {
    const person = await createPerson(first)
    const { keyId, key, token } = person
    expect(await status(first, token)).toBe(200)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query("begin; lock table group_members in access exclusive mode")
    // The lookup has found the key and waits for the user's groups.
    const slow = status(first, key)
    const blocked =
      "select 1 from pg_locks where not granted and relation = 'group_members'::regclass"
    await waitFor(async () => (await client.query(blocked)).rowCount)
    const path = `/api/v1/auths/api_keys/${keyId}`
    const revoked = first.call("DELETE", path, undefined, { key: token })
    expect((await revoked).status).toBe(200)
    await client.query("commit")
    await client.end()
    await slow
    expect(await status(first, key)).toBe(401)
  })

  it("create only one administrator when they start concurrently", async () => {
    const { body } = await first.call("GET", "/api/v1/users/?role=admin")
    expect(body.total).toBe(1)
    expect(await status(second, "sk-admin-key-for-the-tests-0123456789")).toBe(200)
  })

  it("propagate changes of settings, models and connections", async () => {
    await first.call("POST", "/api/v1/settings/", { enable_signup: true })
    const model = { id: "propagated", name: "Propagated", base_model_id: "gpt-fake" }
    await first.call("POST", "/api/v1/models/create", model)
    const connection = { kind: "openai", name: "two", base_url: upstream.url, id_prefix: "two" }
    await first.call("POST", "/api/v1/connections/create", connection)
    await expect
      .poll(async () => (await second.call("GET", "/api/config", undefined)).body.signup)
      .toBe(true)
    const ids = async () => {
      const { body } = await second.call("GET", "/v1/models")
      return body.data.map(({ id }: { id: string }) => id)
    }
    await expect.poll(ids).toEqual(expect.arrayContaining(["propagated", "two.gpt-fake"]))
  })
})

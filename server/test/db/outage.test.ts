import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import {
  createDatabaseProxy,
  createDatabaseServer,
  type DatabaseServer,
  postgresBinDir,
} from "../harness/database-server.ts"
import { hasPostgres } from "../harness/databases.ts"
import {
  adminEmail,
  adminKey,
  adminPassword,
  startGateway,
  type TestGateway,
} from "../harness/gateway.ts"
import { startStreamedCompletion } from "../harness/streamed-completion.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { createPostgresDatabase } from "../setup/postgres.ts"

const hello = { model: "gpt-fake", messages: [{ role: "user", content: "hello" }] }
const statusOf = async (gateway: TestGateway, path: string, key = adminKey): Promise<number> =>
  (await gateway.call("GET", path, undefined, { key })).status
const chat = async (gateway: TestGateway, key = adminKey) =>
  gateway.call("POST", "/v1/chat/completions", hello, { key })

let upstream: FakeOpenAI
beforeAll(async () => {
  upstream = await startFakeOpenAI()
})
afterAll(() => upstream.close())

describe.runIf(postgresBinDir)("a database that stops during traffic", () => {
  let database: DatabaseServer
  let here: TestGateway
  let there: TestGateway
  let warm: { id: string; key: string }
  let cold: { id: string; key: string }
  let changed: { id: string; key: string }
  let orphaned: { api_key: string }
  let answered = 0

  beforeAll(async () => {
    database = await createDatabaseServer(postgresBinDir ?? "")
    await database.start()
    const env = { DATABASE_URL: database.url, OPENAI_API_BASE_URLS: upstream.url }
    here = await startGateway(env)
    there = await startGateway(env)
    warm = await here.createUser("Warm")
    cold = await here.createUser("Cold")
    changed = await here.createUser("Changed")
    const { body: group } = await here.call("POST", "/api/v1/groups/create", { name: "Gone" })
    orphaned = (await here.call("POST", `/api/v1/groups/${group.id}/keys`, {})).body
    for (const gateway of [here, there]) {
      for (const key of [warm.key, changed.key, orphaned.api_key])
        expect(await statusOf(gateway, "/v1/models", key)).toBe(200)
    }
    await here.call("POST", `/api/v1/users/${changed.id}/update`, { active: false })
    await here.call("DELETE", `/api/v1/groups/${group.id}?confirm=delete`)
  }, 60_000)
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()])
    await database.remove()
  })

  it("does not affect cached credentials; others receive 503, not 401", async () => {
    const running = await startStreamedCompletion(here, { key: warm.key, seconds: 3 })
    let stopped = false
    const traffic = (async () => {
      for (; !stopped; answered++) {
        expect((await chat(here, warm.key)).status).toBe(200)
        await sleep(20)
      }
    })()
    await expect.poll(() => answered).toBeGreaterThan(5)
    await database.stop()
    await expect.poll(() => statusOf(here, "/ready")).toBe(503)

    const unknown = "sk-nobody-knows-whether-this-is-a-key"
    for (const key of [cold.key, unknown, changed.key, orphaned.api_key]) {
      const refused = await chat(here, key)
      expect(refused).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } })
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
    }
    const credentials = { email: adminEmail, password: adminPassword }
    for (const [method, path, body] of [
      ["POST", "/api/v1/auths/signin", credentials],
      ["GET", "/api/v1/users/", undefined],
      ["POST", "/api/v1/groups/create", { name: "g" }],
      ["GET", "/api/v1/usage/", undefined],
    ] as const) {
      const { status, body: output } = await here.call(method, path, body)
      expect([path, status, output.code]).toEqual([path, 503, "unavailable"])
    }
    const garbled = await chat(here, "no.such.token")
    expect(garbled.status).toBe(401)
    expect(await statusOf(here, "/ready")).toBe(503)
    expect(await statusOf(here, "/health")).toBe(200)
    expect(await statusOf(here, "/v1/models", warm.key)).toBe(200)
    expect(await running.body).toContain("[DONE]")
    stopped = true
    await traffic
    expect(answered).toBeGreaterThan(10)
  })

  it("is used again automatically when it is back, and no usage is lost", async () => {
    await database.start()
    await expect.poll(() => statusOf(here, "/ready"), { timeout: 10_000 }).toBe(200)
    expect((await chat(here, cold.key)).status).toBe(200)
    expect((await chat(here, changed.key)).status).toBe(401)
    const recorded = async () => {
      const path = `/api/v1/usage/?user_id=${warm.id}`
      return (await here.call("GET", path)).body.items[0]?.requests
    }
    await expect.poll(recorded, { timeout: 10_000 }).toBe(answered + 1)
  })

  it("does not prevent revocations immediately afterwards, also at the other gateway", async () => {
    const streams = [
      await startStreamedCompletion(here, { key: warm.key }),
      await startStreamedCompletion(there, { key: warm.key }),
    ]
    const revoked = await here.call("POST", `/api/v1/users/${warm.id}/update`, { active: false })
    expect(revoked.status).toBe(200)
    for (const stream of streams) expect(await stream.body).not.toContain("[DONE]")
    for (const gateway of [here, there]) expect((await chat(gateway, warm.key)).status).toBe(401)
  })

  it("is never logged as an internal error of the gateway", () => {
    const faults = [...here.logLines, ...there.logLines].filter(({ status }) => status === 500)
    expect(faults).toEqual([])
  })
})

describe.runIf(hasPostgres)("a database that stops responding", () => {
  it("does not delay cached credentials, and others only up to the statement timeout", async () => {
    const { url, drop } = await createPostgresDatabase(inject("databaseUrl"))
    const wire = await createDatabaseProxy(url)
    const env = { DATABASE_URL: wire.url, OPENAI_API_BASE_URLS: upstream.url }
    const statementTimeoutMs = 2500
    const gateway = await startGateway(env, { statementTimeoutMs })
    const cold = await gateway.createUser("Cold")
    expect((await chat(gateway)).status).toBe(200)

    wire.freeze()
    const since = performance.now()
    const unknown = chat(gateway, cold.key)
    const known = await chat(gateway)
    expect([known.status, performance.now() - since < maxDelayMs]).toEqual([200, true])
    expect(await statusOf(gateway, "/ready")).toBe(503)
    expect((await unknown).status).toBe(503)
    expect(performance.now() - since).toBeLessThan(10_000)

    wire.unfreeze()
    await expect.poll(() => statusOf(gateway, "/ready"), { timeout: 25_000 }).toBe(200)
    expect((await chat(gateway, cold.key)).status).toBe(200)
    await gateway.stop()
    wire.close()
    await drop()
  }, 90_000)
})

import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { type ProbeResult, startLatencyProbe } from "../harness/latency-probe.ts"
import { startLoad } from "../harness/load.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

const model = "gpt-fake"
const aloneMs = 500
const loadedMs = 1500
// Measured on a busy machine: 17 to 80 ms on PostgreSQL, 50 to 380 ms on SQLite; 3 s and more if one
// user can hold all connections, 1 to 2 s if one user can fill the queue of SQLite's writer.
const minLimitMs = 500

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ role: "user", content: `${n}` }))

const loads: Record<string, { concurrency: number; path: string; body: object }> = {
  "stores responses of 500 items, 30 at a time": {
    concurrency: 30,
    path: "/v1/responses",
    body: { model, input: itemsOf(500) },
  },
  "stores small responses, 200 at a time": {
    concurrency: 200,
    path: "/v1/responses",
    body: { model, input: "x" },
  },
  "adds chats, 200 at a time": { concurrency: 200, path: "/api/v1/chats/new", body: {} },
}

describe.each(chooseDatabases())("a database that users share, on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let database: TestDatabase
  let gateway: TestGatewayProcess
  let key: string
  let otherKey: string
  let alone: ProbeResult
  beforeAll(async () => {
    upstream = await startFakeOpenAI({ models: [model] })
    database = await createDatabase()
    gateway = await startTestGatewayProcess({
      ...database.env,
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "sk-upstream",
    })
    key = await signUp("ada")
    otherKey = await signUp("eve")
    alone = await probe(aloneMs)
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const signUp = async (name: string): Promise<string> => {
    const account = { name, email: `${name}@example.com`, password: "correct horse battery" }
    await gateway.call("POST", "/api/v1/auths/add", account)
    const { body } = await gateway.call("POST", "/api/v1/auths/signin", account)
    return body.token
  }

  /** Measures how long one user's reads and writes take. */
  const probe = async (forMs: number): Promise<ProbeResult> => {
    const prober = await startLatencyProbe(gateway.url, [
      { method: "GET", path: "/api/v1/chats", key },
      { method: "POST", path: "/api/v1/chats/new", body: "{}", key },
    ])
    await delay(forMs)
    return prober.stop()
  }

  it.each(Object.entries(loads))(
    "serves one user in time while another %s",
    { timeout: 60_000 },
    async (_, { concurrency, path, body }) => {
      const load = await startLoad({
        ...{ url: gateway.url, key: otherKey, concurrency, path },
        body: JSON.stringify(body),
      })
      const loaded = await probe(loadedMs)
      const countByStatus = await load.stop()
      expect([...countByStatus.keys()]).toEqual([200])
      const limitMs = Math.max(5 * alone.p95Ms, 5 * loaded.controlMs, minLimitMs)
      expect(loaded.p95Ms).toBeLessThan(limitMs)
    },
  )
})

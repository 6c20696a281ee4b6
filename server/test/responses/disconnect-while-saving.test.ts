import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const model = "gpt-fake"
const input = "x".repeat(200_000)

describe.each(chooseDatabases())("a client that disconnects, on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let database: TestDatabase
  let gateway: TestGateway
  beforeAll(async () => {
    upstream = await startFakeOpenAI({ models: [model] })
    database = await createDatabase()
    gateway = await startGateway({
      ...database.env,
      OPENAI_API_BASE_URLS: upstream.url,
      MAX_REQUESTS: "1/5",
    })
    await waitForModels(gateway, [model])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  it("counts towards MAX_REQUESTS until its response is stored", async () => {
    const { db, limits, inFlight } = gateway.gateway
    const { id, key } = await gateway.createUser("Eve")
    const send = (signal?: AbortSignal) =>
      fetch(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, input }),
        ...(signal && { signal }),
      })
    expect((await send()).status).toBe(200)

    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const holding = db.transactLocked([`responses:${id}`], () => released)
    const client = new AbortController()
    const abandoned = send(client.signal).catch(() => null)
    const answers = upstream.requests.length
    await waitFor(() => upstream.requests.length > answers && inFlight.count() === 0)
    client.abort()
    await abandoned
    const refused = await send()
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain("MAX_REQUESTS")
    expect(limits.bodies.held(id)).toBeGreaterThan(input.length)

    release()
    await holding
    await waitFor(() => limits.requests.held(id) === 0)
    expect(limits.bodies.held(id)).toBe(0)
    expect((await send()).status).toBe(200)
  })
})

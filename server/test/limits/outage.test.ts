import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import {
  createDatabaseServer,
  type DatabaseServer,
  postgresBinDir,
} from "../harness/database-server.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"
const model = "gpt-fake"
const messages = [{ role: "user", content: "one two three" }]

describe.runIf(postgresBinDir)("limits without their database", () => {
  let database: DatabaseServer
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>

  beforeAll(async () => {
    database = await createDatabaseServer(postgresBinDir ?? "")
    await database.start()
    upstream = await startFakeOpenAI()
    gateway = await startGateway({
      DATABASE_URL: database.url,
      OPENAI_API_BASE_URLS: upstream.url,
    })
    await waitForModels(gateway, [model])
    user = await gateway.createUser("Eve")
    const target = { type: "user", id: user.id }
    const limit = { target, metric: "requests", amount: 1000, window: "day" }
    expect((await gateway.call("POST", path, limit)).status).toBe(200)
  }, 60_000)
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const ask = () =>
    gateway.call("POST", "/v1/chat/completions", { model, messages }, { key: user.key })
  const isReady = async () => (await gateway.call("GET", "/ready")).status === 200
  const spent = async () => (await gateway.call("GET", path)).body.items[0].spent
  let answered = 0
  const askUntilRejected = async (max: number) => {
    for (let count = 0; count < max; count++) {
      const reply = await ask()
      if (reply.status !== 200) return reply
      answered++
    }
    return null
  }
  const restart = async () => {
    await database.start()
    await expect.poll(isReady, { timeout: 15_000 }).toBe(true)
    await expect.poll(spent, { timeout: 15_000 }).toBe(answered)
  }

  it("admit what was granted before, and then nothing", async () => {
    expect(await askUntilRejected(5)).toBeNull()
    await database.stop()
    await expect.poll(isReady).toBe(false)
    const rejected = await askUntilRejected(100)
    expect(rejected).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } })
    expect(Number(rejected?.headers.get("retry-after"))).toBeGreaterThan(0)
    await restart()
    expect(await askUntilRejected(5)).toBeNull()
  }, 60_000)

  it("admit everything if an administrator wants so, and count it afterwards", async () => {
    const settings = { limits_without_database: "admit" }
    expect((await gateway.call("POST", "/api/v1/settings", settings)).status).toBe(200)
    await database.stop()
    await expect.poll(isReady).toBe(false)
    const before = answered
    // More than 2 % of what is left.
    expect(await askUntilRejected(30)).toBeNull()
    expect(answered - before).toBe(30)
    await restart()
  }, 120_000)
})

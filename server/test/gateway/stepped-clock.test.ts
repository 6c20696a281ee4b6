import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { upload } from "../knowledge/collections.ts"

const hourMs = 3_600_000

const setClock = (aheadMs: number): void => {
  vi.useRealTimers()
  if (aheadMs !== 0) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + aheadMs })
}

afterEach(() => {
  vi.useRealTimers()
})

/** An extraction engine that reads images slowly and rejects the first. */
const startEngine = async () => {
  let requested = 0
  const server = createServer(async (request, response) => {
    request.resume()
    await sleep(300)
    response.writeHead(requested++ === 0 ? 503 : 200).end("Words.")
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requested: () => requested,
    close: () => server.close(),
  }
}

describe.each(chooseDatabases())("a clock that is set back on $name", ({ createDatabase }) => {
  it("delays no job, whether it is waiting or due for a retry", async () => {
    const database = await createDatabase()
    const engine = await startEngine()
    setClock(5 * hourMs)
    const env = { EXTRACTION_URL: engine.url, EXTRACTION_CONCURRENCY: "1" }
    const gateway = await startGateway(
      { ...database.env, ...env },
      { jobPollMs: 100, jobRetryMs: 100 },
    )
    for (let n = 0; n < 4; n++) {
      await upload(gateway, `${n}.png`, Buffer.from(`\x89PNG\r\n\x1a\n ${n}`, "latin1"))
    }
    await expect.poll(engine.requested, { timeout: 10_000 }).toBeGreaterThan(0)
    setClock(0)
    const completed = async (): Promise<number> =>
      (await gateway.call("GET", "/api/v1/files?status=completed")).body.total
    await expect.poll(completed, { timeout: 30_000 }).toBe(4)
    await gateway.stop()
    engine.close()
    await database.remove()
  }, 60_000)

  it("does not extend sign-in throttling, and events are still sealed", async () => {
    const database = await createDatabase()
    setClock(hourMs)
    const gateway = await startGateway(database.env, { sealAfterMs: 250 })
    const blocks = async (): Promise<number> =>
      (await gateway.call("GET", "/api/v1/audit/status")).body.blocks
    await expect.poll(blocks, { timeout: 20_000 }).toBeGreaterThan(0)
    const { email } = await gateway.createUser("Ada")
    const before = await blocks()
    const signIn = () =>
      gateway.call("POST", "/api/v1/auths/signin", { email, password: "wrong" }, { key: null })
    for (let n = 0; n < 6; n++) await signIn()
    setClock(0)
    const refused = await signIn()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeLessThan(600)
    await expect.poll(blocks, { timeout: 30_000 }).toBeGreaterThan(before)
    await gateway.stop()
    await database.remove()
  }, 90_000)
})

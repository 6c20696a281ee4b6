import { readFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startLatencyProbe } from "../harness/latency-probe.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { maxDelayMs } from "../harness/timing.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const megabyte = 1e6
const limitBytes = 100 * megabyte
const model = "gpt-fake"

const residentBytes = ({ child }: TestGatewayProcess): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** The most that the gateway's memory grows during `work`. */
const measureGrowth = async (
  gateway: TestGatewayProcess,
  work: () => Promise<unknown>,
): Promise<number> => {
  const before = residentBytes(gateway)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(gateway))
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return most - before
}

const message = (content: string) => ({ type: "message", role: "user", id: "msg_stored", content })
const reference = { type: "item_reference", id: "msg_stored" }

describe.each(chooseDatabases())("small requests that refer to much on $name", (choice) => {
  let database: TestDatabase
  let provider: FakeOpenAI
  let gateway: TestGatewayProcess

  beforeEach(async () => {
    database = await choice.createDatabase()
    provider = await startFakeOpenAI({ models: [model] })
    gateway = await startTestGatewayProcess({
      ...database.env,
      MAX_BUFFERED_BODIES: `${limitBytes / megabyte}MB/1GB`,
      OPENAI_API_BASE_URLS: provider.url,
    })
    await expect
      .poll(async () => (await gateway.call("GET", "/v1/models")).body.data.length)
      .toBe(1)
  })
  afterEach(async () => {
    killAllGateways()
    await provider.close()
    await database.remove()
  })

  const send = (fields: object) => gateway.call("POST", "/v1/responses", { model, ...fields })

  /** Stores a message; the provider's response is too small to matter. */
  const store = async (content: string): Promise<string> => {
    const answer = { id: "resp_1", object: "response", status: "completed", output: [] }
    // The gateway first finds out whether the provider has the Responses API.
    await send({ store: false, input: "x" })
    provider.injectFault({ kind: "reply", body: JSON.stringify(answer) }, { on: /responses/ })
    const stored = await send({ input: [message(content)] })
    expect(stored.status).toBe(200)
    return stored.body.id
  }

  it.each([true, false])("repeat no large item in memory with store: %s", async (isStored) => {
    await store("x".repeat(megabyte))
    const input = Array.from({ length: 300 }, () => reference)
    const probe = await startLatencyProbe(gateway.url)
    const growth = await measureGrowth(gateway, async () => {
      for (let round = 0; round < 3; round++)
        expect((await send({ store: isStored, input })).status).toBe(400)
    })
    expect((await probe.stop()).maxMs).toBeLessThan(maxDelayMs)
    expect(growth).toBeLessThan(limitBytes)
  })

  it.each([
    [20, "one letter per byte", "x".repeat(15 * megabyte)],
    [100, "one letter per byte", "x".repeat(15 * megabyte)],
    [20, "another script", "ж".repeat(7.5 * megabyte)],
  ])("hold what the user may have in memory: %s to 15 MB, %s", async (count, _script, content) => {
    const previous_response_id = await store(content)
    provider.injectFault({ kind: "hang" }, { on: /responses/, times: Number.POSITIVE_INFINITY })
    const requestCount = () =>
      provider.requests.filter(({ path }) => path.endsWith("responses")).length
    const before = requestCount()
    const probe = await startLatencyProbe(gateway.url)
    let refused = 0
    const growth = await measureGrowth(gateway, async () => {
      for (let n = 0; n < count; n++) {
        send({ store: false, stream: true, previous_response_id, input: "go" }).then(
          ({ status }) => {
            if (status === 429) refused++
          },
          () => {},
        )
      }
      await expect.poll(() => refused + requestCount() - before, { timeout: 60_000 }).toBe(count)
      expect((await gateway.call("GET", "/api/v1/chats/")).status).toBe(200)
    })
    expect(requestCount()).toBeGreaterThan(before)
    expect((await probe.stop()).maxMs).toBeLessThan(maxDelayMs)
    expect(growth).toBeLessThan(1.5 * limitBytes)
  })
})

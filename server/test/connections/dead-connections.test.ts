import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { maxDelayMs, measureMinMs } from "../harness/timing.ts"
import { waitFor } from "../harness/usage-records.ts"

/** Twenty times what an idle machine needs, but less than any connection timeout. */
const maxImmediateMs = 400

const chatWith = (gateway: TestGateway, model: string) =>
  gateway.call("POST", "/v1/chat/completions", {
    model,
    messages: [{ role: "user", content: "hello" }],
  })

const measure = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const started = performance.now()
  return [await work(), performance.now() - started]
}

const listModels = async (gateway: TestGateway) => {
  const { body } = await gateway.call("GET", "/v1/models")
  const entries = body.data.map((model: { id: string; available: boolean }) => [
    model.id,
    model.available,
  ])
  return Object.fromEntries(entries)
}

describe("one dead, one hanging and one healthy connection", () => {
  let dead: FakeOpenAI
  let hanging: FakeOpenAI
  let healthy: FakeOpenAI
  let gateway: TestGateway

  beforeAll(async () => {
    dead = await startFakeOpenAI({ models: ["on-dead"] })
    hanging = await startFakeOpenAI({ models: ["on-hanging"] })
    healthy = await startFakeOpenAI({ models: ["on-healthy"] })
    await dead.close()
    hanging.injectFault({ kind: "hang" }, { times: Number.POSITIVE_INFINITY })
    const urls = [dead.url, hanging.url, healthy.url].join(";")
    // The default, which bounds how often connections are queried.
    const options = { minModelSearchIntervalMs: 500 }
    gateway = await startGateway({ OPENAI_API_BASE_URLS: urls }, options)
  })
  afterAll(async () => {
    await gateway.stop()
    await hanging.close()
    await healthy.close()
  })

  it("offer a model of the healthy one immediately after the start", async () => {
    const [{ status }, durationMs] = await measure(() => chatWith(gateway, "on-healthy"))
    expect(status).toBe(200)
    expect(durationMs).toBeLessThan(maxDelayMs)
  })

  it("list models immediately", async () => {
    expect(await listModels(gateway)).toEqual({ "on-healthy": true })
    expect(await measureMinMs(() => listModels(gateway))).toBeLessThan(maxImmediateMs)
  })

  it("do not delay chats with the healthy one", async () => {
    expect((await chatWith(gateway, "on-healthy")).status).toBe(200)
    expect(await measureMinMs(() => chatWith(gateway, "on-healthy"))).toBeLessThan(maxImmediateMs)
  })

  it("find a new model of the healthy one on first use, for all concurrent requests", async () => {
    healthy.models.push(createOpenAIModel("just-pulled"))
    const pendingRequest = ["just-pulled", "just-pulled", "not-there", "just-pulled"]
    const [replies, durationMs] = await measure(() =>
      Promise.all(pendingRequest.map((model) => chatWith(gateway, model))),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 200])
    // The timeout for the hanging connection is one second here, and ten for a periodic refresh.
    expect(durationMs).toBeLessThan(6000)
    healthy.models.push(createOpenAIModel("pulled-next"))
    expect((await chatWith(gateway, "pulled-next")).status).toBe(200)
  })

  it("are not all queried for each unknown model name", async () => {
    await chatWith(gateway, "nowhere")
    const before = healthy.requests.length
    await Promise.all(Array.from({ length: 20 }, (_, at) => chatWith(gateway, `nowhere-${at}`)))
    expect(healthy.requests.length - before).toBeLessThanOrEqual(3)
  })
})

describe("a connection that dies", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "portico-dead-"))
  let upstream: FakeOpenAI
  const open = () =>
    startGateway({
      OPENAI_API_BASE_URLS: upstream.url,
      DATA_DIR: dataDir,
      MODEL_REFRESH_INTERVAL: "200ms",
    })

  beforeAll(async () => {
    upstream = await startFakeOpenAI({ models: ["kept"] })
  })
  afterAll(async () => {
    await upstream.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it("keeps its models listed as unavailable, even after a restart, until it is back", async () => {
    const before = await open()
    await waitFor(async () => (await listModels(before)).kept)
    upstream.injectFault({ kind: "refuse" })
    await waitFor(async () => (await listModels(before)).kept === false)
    expect((await chatWith(before, "kept")).body.error.code).toBe("upstream_unreachable")
    await before.stop()

    const after = await open()
    await waitFor(async () => (await listModels(after)).kept === false)
    const { status, body } = await chatWith(after, "kept")
    expect({ status, code: body.error.code }).toEqual({ status: 502, code: "upstream_unreachable" })
    expect(await measureMinMs(() => chatWith(after, "kept"))).toBeLessThan(maxImmediateMs)
    await upstream.restart()
    expect((await chatWith(after, "kept")).status).toBe(200)
    await waitFor(async () => (await listModels(after)).kept)
    await after.stop()
  })

  it("is not considered dead if its list is rate-limited", async () => {
    const gateway = await open()
    await waitFor(async () => (await listModels(gateway)).kept)
    const requested = () => upstream.requests.filter(({ path }) => /models/.test(path)).length
    const before = requested()
    upstream.injectFault({ kind: "status", status: 429 }, { times: 3, on: /models/ })
    await waitFor(() => requested() >= before + 3)
    expect(await listModels(gateway)).toEqual({ kept: true })
    expect(gateway.gateway.registry.connections()[0]?.isResting()).toBe(false)
    await gateway.stop()
  })

  it("does not pass its models on to a connection that replaces it in the environment", async () => {
    const known = await open()
    await waitFor(async () => (await listModels(known)).kept)
    await known.stop()
    const urls = "http://127.0.0.1:9/v1"
    const other = await startGateway({ OPENAI_API_BASE_URLS: urls, DATA_DIR: dataDir })
    expect(await listModels(other)).toEqual({})
    await other.stop()
  })
})

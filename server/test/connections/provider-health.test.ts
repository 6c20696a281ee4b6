import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { until } from "../harness/json-records.ts"

let ill: FakeOpenAI
let well: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  ill = await startFakeOpenAI({ models: ["shared"] })
  well = await startFakeOpenAI({ models: ["shared"] })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: `${ill.url};${well.url}`,
    UPSTREAM_FIRST_BYTE_TIMEOUT: "200ms",
    // Its model list is requested constantly, and succeeds.
    MODEL_REFRESH_INTERVAL: "1s",
  })
  await until(() => gateway.gateway.registry.upstreams().every((upstream) => upstream.hasListed()))
})
afterEach(() => ill.clearFaults())
afterAll(async () => {
  await gateway.stop()
  await ill.close()
  await well.close()
})

const ask = () =>
  gateway.call("POST", "/v1/chat/completions", {
    model: "shared",
    messages: [{ role: "user", content: "hello" }],
  })
const chats = () => ill.requests.filter(({ path }) => path.endsWith("/chat/completions")).length
const healthOfIll = async () =>
  (await gateway.call("GET", "/api/v1/connections")).body.items[0].health
const resting = () => gateway.gateway.registry.byId("env-openai-0")?.isResting() === true

it("retries a hanging provider with one request at a time, even if its model list works", async () => {
  ill.fault({ kind: "hang" }, { on: /chat/, times: Number.POSITIVE_INFINITY })
  for (let turn = 0; turn < 3; turn++) expect((await ask()).status).toBe(504)
  expect(resting()).toBe(true)
  await until(() => !resting())
  // Its list was read successfully; the error is the failed request's.
  expect(await healthOfIll()).toMatchObject({ status: "resting", last_error: "no reply in time" })
  const before = chats()
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await ask()).status))
  expect(statuses.toSorted()).toEqual([...Array(9).fill(200), 504])
  expect(chats()).toBe(before + 1)
  expect(resting()).toBe(true)
})

it("considers a provider healthy again after a successful request", async () => {
  await until(() => !resting())
  expect((await ask()).status).toBe(200)
  expect(await healthOfIll()).toMatchObject({ status: "healthy", last_error: null })
})

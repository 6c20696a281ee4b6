import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { waitUntilListed } from "./connection-client.ts"

let failing: FakeOpenAI
let healthy: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  failing = await startFakeOpenAI({ models: ["shared"] })
  healthy = await startFakeOpenAI({ models: ["shared"] })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: `${failing.url};${healthy.url}`,
    UPSTREAM_FIRST_BYTE_TIMEOUT: "200ms",
    // Its model list is requested constantly, and succeeds.
    MODEL_REFRESH_INTERVAL: "1s",
  })
  await waitUntilListed(gateway)
})
afterEach(() => failing.clearFaults())
afterAll(async () => {
  await gateway.stop()
  await failing.close()
  await healthy.close()
})

const sendChat = () =>
  gateway.call("POST", "/v1/chat/completions", {
    model: "shared",
    messages: [{ role: "user", content: "hello" }],
  })
const chats = () => failing.requests.filter(({ path }) => path.endsWith("/chat/completions")).length
const failingHealth = async () =>
  (await gateway.call("GET", "/api/v1/connections")).body.items[0].health
const isResting = () => gateway.gateway.registry.byId("env-openai-0")?.isResting() === true

it("retries a hanging provider with one request at a time, even if its model list works", async () => {
  failing.injectFault({ kind: "hang" }, { on: /chat/, times: Number.POSITIVE_INFINITY })
  for (let turn = 0; turn < 3; turn++) expect((await sendChat()).status).toBe(504)
  expect(isResting()).toBe(true)
  await waitFor(() => !isResting())
  // Its list was read successfully; the error is the failed request's.
  expect(await failingHealth()).toMatchObject({
    status: "resting",
    last_error: `${failing.url} did not respond in time.`,
  })
  const before = chats()
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await sendChat()).status),
  )
  expect(statuses.toSorted()).toEqual([...Array(9).fill(200), 504])
  expect(chats()).toBe(before + 1)
  expect(isResting()).toBe(true)
})

it("considers a provider healthy again after a successful request", async () => {
  await waitFor(() => !isResting())
  expect((await sendChat()).status).toBe(200)
  expect(await failingHealth()).toMatchObject({ status: "healthy", last_error: null })
})

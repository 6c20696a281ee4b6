import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startWebhookReceiver, type WebhookReceiver } from "../fakes/webhook-receiver.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"
const model = "gpt-fake"
const messages = [{ role: "user", content: "one two three" }]
const options = { limitWarningMs: 20, webhookPollMs: 20, webhookRetryDelaysMs: [20, 20, 20] }

describe.each(chooseDatabases())("warnings of limits on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let receiver: WebhookReceiver
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>
  let marker: Awaited<ReturnType<TestGateway["createUser"]>>
  let secret = ""

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    receiver = await startWebhookReceiver()
    database = await createDatabase()
    const env = { ...database.env, OPENAI_API_BASE_URLS: upstream.url, METRICS_TOKEN: "scraper" }
    gateway = await startGateway(env, options)
    await waitForModels(gateway, [model])
    user = await gateway.createUser("Eve")
    marker = await gateway.createUser("Marker")
    const { body } = await gateway.call("PUT", "/api/v1/webhook", { url: receiver.url })
    secret = body.secret
  })
  beforeEach(async () => {
    const { body } = await gateway.call("GET", `${path}?page_size=200`)
    for (const { id } of body.items) await gateway.call("DELETE", `${path}/${id}`)
    receiver.respondWith(200)
    receiver.received.length = 0
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
    await upstream.close()
    await receiver.close()
  })

  const create = async (limit: object): Promise<string> => {
    const { status, body } = await gateway.call("POST", path, {
      ...{ target: { type: "user", id: user.id }, metric: "requests", window: "day" },
      ...limit,
    })
    expect(status).toBe(200)
    return body.id
  }
  const change = (id: string, values: object) =>
    gateway.call("POST", `${path}/${id}/update`, values)
  const send = async (values: object = {}, key = user.key): Promise<number> => {
    const body = { model, messages, ...values }
    return (await gateway.call("POST", "/v1/chat/completions", body, { key })).status
  }
  const use = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) expect(await send()).toBe(200)
  }
  const received = () =>
    receiver.received.filter(({ payload }) => payload.data.limit.target.id !== marker.id)
  const types = (): string[] => received().map(({ payload }) => payload.type)
  const notices = async (
    key = user.key,
  ): Promise<{ id: string; message: string; share: number }[]> =>
    (await gateway.call("GET", `${path}/notices`, undefined, { key })).body.items
  /** Limits are checked in the order of their creation, so all others have been checked. */
  const waitForCheck = async (): Promise<void> => {
    const id = await create({ target: { type: "user", id: marker.id }, amount: 1 })
    await send({}, marker.key)
    const isReceived = () => receiver.received.some(({ payload }) => payload.data.limit.id === id)
    await expect.poll(isReceived).toBe(true)
    await gateway.call("DELETE", `${path}/${id}`)
  }

  it("are sent at 80 and 100 %, once, with a signature", async () => {
    const id = await create({ amount: 5, model })
    await use(3)
    await waitForCheck()
    expect(types()).toEqual([])
    await use(1)
    await expect.poll(types).toEqual(["limit.warning"])
    await use(1)
    await expect.poll(types).toEqual(["limit.warning", "limit.reached"])
    expect(await send()).toBe(429)
    await waitForCheck()
    expect(types()).toHaveLength(2)
    const [first, second] = received()
    expect(first?.id).not.toBe(second?.id)
    expect(new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {})).toEqual({
      type: "limit.warning",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: {
        limit: {
          ...{ id, target: { type: "user", id: user.id }, target_name: "Eve", model },
          ...{ metric: "requests", window: "day", rolling: false, time_zone: "UTC", mode: "hard" },
        },
        ...{ spent: 4, amount: 5 },
        period: { starts_at: expect.any(Number), ends_at: first?.payload.data.resets_at },
        resets_at: expect.any(Number),
      },
    })
    expect(() => new Webhook(secret).verify(`${first?.body} `, first?.headers ?? {})).toThrow()
  })

  it("are sent again after the amount was raised above what is spent", async () => {
    const id = await create({ amount: 2 })
    await use(2)
    await expect.poll(types).toEqual(expect.arrayContaining(["limit.reached"]))
    const before = received().length
    await change(id, { amount: 10 })
    await waitForCheck()
    expect(received()).toHaveLength(before)
    await use(6)
    await expect.poll(() => types().slice(before)).toEqual(["limit.warning"])
    await change(id, { amount: 8 })
    await expect.poll(() => types().slice(before)).toEqual(["limit.warning", "limit.reached"])
  })

  it("say that a limit is reached when it rejects what may not fit", async () => {
    await create({ metric: "tokens", amount: 1000, window: "month", rolling: true })
    await use(10)
    expect(await send({ max_tokens: 850 })).toBe(429)
    await expect.poll(types).toEqual(["limit.reached"])
    const { data } = receiver.received[0]?.payload ?? {}
    expect(data.spent).toBeLessThan(800)
    expect(data.period).toEqual({ starts_at: null, ends_at: null })
  })

  it("are not sent for requests that no limit could admit, nor for limits that refill", async () => {
    await create({ metric: "tokens", amount: 100 })
    expect(await send({ max_tokens: 990 })).toBe(429)
    await create({ amount: 0, window: "total" })
    await create({ amount: 1, window: "minute" })
    expect(await send()).toBe(429)
    await waitForCheck()
    expect(types()).toEqual([])
  })

  it("are repeated with the same id until the receiver accepts them", async () => {
    receiver.respondWith(500)
    await create({ amount: 1 })
    await use(1)
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(2)
    const read = async () => (await gateway.call("GET", "/api/v1/webhook")).body
    expect(await read()).toMatchObject({
      waiting: 1,
      last_delivery: { type: "limit.reached", status: 500, error: "status 500" },
    })
    receiver.respondWith(204)
    await expect
      .poll(read)
      .toMatchObject({ waiting: 0, last_delivery: { status: 204, error: null } })
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
  })

  it("are given up when the receiver never accepts them", async () => {
    receiver.respondWith(302)
    await create({ amount: 1 })
    await use(1)
    const read = async () => (await gateway.call("GET", "/api/v1/webhook")).body
    await expect.poll(read).toMatchObject({ waiting: 0, last_delivery: { status: 302 } })
    expect(receiver.received).toHaveLength(options.webhookRetryDelaysMs.length + 1)
  })

  it("are shown to those whose limits they are, without amounts", async () => {
    const other = await gateway.createUser(`Mallory${Date.now()}`)
    const group = (await gateway.call("POST", "/api/v1/groups/create", { name: `G${Date.now()}` }))
      .body.id
    await create({ amount: 5 })
    await create({ target: { type: "group", id: group }, amount: 1, window: "total" })
    await use(4)
    await expect.poll(() => notices()).toHaveLength(1)
    const [notice] = await notices()
    expect(notice).toEqual({
      ...{ id: expect.any(String), level: "warning", share: 0.8, resets_at: expect.any(Number) },
      message: "80% of the limit on requests per day for your account is used.",
      message_reference: expect.objectContaining({ id: "limit_nearly_used_up" }),
    })
    await use(1)
    await expect.poll(() => notices()).toMatchObject([{ level: "reached", share: 1 }])
    expect((await notices())[0]?.id).not.toBe(notice?.id)
    expect(await notices(other.key)).toEqual([])
    expect((await gateway.call("GET", `${path}/notices`, undefined, { key: null })).status).toBe(
      401,
    )
    const { limits } = (await gateway.call("GET", "/api/v1/admin/overview")).body
    expect(limits).toEqual({ reached: 1, nearly: 0 })
  })

  it("are not shown to others if one of them asks for too much", async () => {
    const everyone = { target: { type: "everyone" } }
    await create({ ...everyone, metric: "tokens", amount: 1000, window: "month" })
    await use(10)
    expect(await send({ max_tokens: 850 })).toBe(429)
    await expect.poll(types).toEqual(["limit.reached"])
    // Checked at the same time.
    await create({ ...everyone, amount: 7 })
    await use(6)
    await expect
      .poll(() => notices())
      .toMatchObject([{ share: 0.85, message: expect.stringMatching(/^85%/) }])
  })

  it("of a group's manager are not shown to those who left it", async () => {
    const { body } = await gateway.call("POST", "/api/v1/groups/create", { name: "Left" })
    const change = (how: string) =>
      gateway.call("POST", `/api/v1/groups/${body.id}/members/${how}`, { user_ids: [user.id] })
    await change("add")
    await create({ group_id: body.id, amount: 1 })
    await use(1)
    await expect.poll(() => notices()).toHaveLength(1)
    await change("remove")
    expect(await notices()).toEqual([])
  })

  it("appear in the metrics as what is left, in dollars for cost", async () => {
    await gateway.call("PUT", `/api/v1/prices/${model}`, { input: 1000, output: 2000, from: 0 })
    const everyone = { target: { type: "everyone" } }
    const cost = await create({ ...everyone, metric: "cost", amount: 3e9, window: "month" })
    const requests = await create({ ...everyone, amount: 10 })
    const ofUser = await create({ amount: 10 })
    await use(1)
    const scrape = async (): Promise<string> => {
      const headers = { authorization: "Bearer scraper" }
      return (await gateway.call("GET", "/metrics", undefined, { key: null, headers })).body
    }
    const labels = (id: string, metric: string, window: string) =>
      `portico_budget_remaining{limit="${id}",target_type="everyone",metric="${metric}",window="${window}"}`
    await expect.poll(scrape).toContain(`${labels(requests, "requests", "day")} 9\n`)
    expect(await scrape()).toContain(`${labels(cost, "cost", "month")} 2.999`)
    expect(await scrape()).not.toContain(ofUser)
  })

  it("are sent by the next process if one is killed, with the same id", async () => {
    const other = await createDatabase()
    const env = { ...other.env, OPENAI_API_BASE_URLS: upstream.url }
    // Time to kill the process and to start the next one.
    const slow = { ...options, webhookRetryDelaysMs: [5000, 20, 20] }
    receiver.respondWith(503)
    const first = await startTestGatewayProcess(env, { options: slow })
    await first.call("PUT", "/api/v1/webhook", { url: receiver.url })
    const limit = { target: { type: "everyone" }, metric: "requests", amount: 1, window: "day" }
    expect((await first.call("POST", path, limit)).status).toBe(200)
    const ask = () => first.call("POST", "/v1/chat/completions", { model, messages })
    await expect.poll(async () => (await ask()).status).toBe(200)
    const read = async (process: TestGatewayProcess) =>
      (await process.call("GET", "/api/v1/webhook")).body
    await expect
      .poll(() => read(first))
      .toMatchObject({ waiting: 1, last_delivery: { status: 503 } })
    await first.kill()
    receiver.respondWith(200)
    const second = await startTestGatewayProcess(env, { options: slow })
    await expect
      .poll(() => read(second), { timeout: 25_000 })
      .toMatchObject({ waiting: 0, last_delivery: { status: 200 } })
    await second.stop()
    await other.remove()
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    expect(receiver.received).toHaveLength(2)
  }, 60_000)

  it("are sent by one of several processes", async () => {
    if (database.url === undefined) return
    const others = await Promise.all([1, 2].map(() => startGateway({ ...database.env }, options)))
    await create({ amount: 1 })
    await use(1)
    await expect.poll(types).toEqual(["limit.reached"])
    await waitForCheck()
    await Promise.all(others.map(({ stop }) => stop()))
    expect(types()).toEqual(["limit.reached"])
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { GatewayOverrides } from "../../src/gateway-overrides.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

const path = "/api/v1/limits"
const env = { OPENAI_API_BASE_URLS: "http://127.0.0.1:9/v1" }
const budget = { target: { type: "everyone" }, metric: "cost", amount: 50e9, window: "month" }

describe.each(chooseDatabases())("limits on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>

  const start = (options: GatewayOverrides = {}) =>
    startGateway({ ...database.env, ...env }, { clockDoubtMs: 0, ...options })

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await start()
    user = await gateway.createUser("Eve")
  })
  beforeEach(async () => {
    const { body } = await gateway.call("GET", `${path}?page_size=200`)
    for (const { id } of body.items) await gateway.call("DELETE", `${path}/${id}`)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const create = (limit: object) => gateway.call("POST", path, limit)
  const update = (id: string, change: object) =>
    gateway.call("POST", `${path}/${id}/update`, change)

  it("are created, listed, changed and deleted by administrators", async () => {
    const created = await create(budget)
    expect(created).toMatchObject({
      status: 200,
      body: {
        ...budget,
        ...{ mode: "hard", time_zone: "UTC", rolling: false, raise: null },
        ...{ spent: 0, reserved: 0 },
      },
    })
    expect(new Date(created.body.resets_at * 1000).toISOString()).toMatch(/-01T00:00:00.000Z$/)
    const { id } = created.body
    expect((await gateway.call("GET", `${path}/`)).body).toEqual({
      items: [created.body],
      total: 1,
    })
    const raise = { amount: 80e9, until: 4_000_000_000 }
    const change = { amount: 60e9, window: "week", rolling: true, mode: "soft", raise }
    expect((await update(id, change)).body).toMatchObject({ id, ...change, resets_at: null })
    expect((await update(id, { raise: null })).body).toMatchObject({ amount: 60e9, raise: null })
    expect((await gateway.call("DELETE", `${path}/${id}`)).status).toBe(200)
    expect((await gateway.call("DELETE", `${path}/${id}`)).status).toBe(404)
    expect((await update(id, { amount: 1 })).status).toBe(404)
    expect((await gateway.call("GET", path)).body).toEqual({ items: [], total: 0 })
  })

  it("keep what they are for, which a change may repeat", async () => {
    const limit = { ...budget, target: { type: "user", id: user.id }, model: "m" }
    const { id } = (await create(limit)).body
    expect(await update(id, { ...limit, amount: 7 })).toMatchObject({ body: { amount: 7 } })
    for (const change of [{ target: { type: "everyone" } }, { model: "n" }, { metric: "tokens" }])
      expect(await update(id, change)).toMatchObject({
        status: 422,
        body: { errors: [{ path: Object.keys(change)[0], id: "limit_field_fixed" }] },
      })
  })

  it.each<[string, object, string, string]>([
    ["below the amount", { amount: 1, until: 4e9 }, "raise.amount", "limit_raise_too_small"],
    ["that has ended", { amount: 80e9, until: 1 }, "raise.until", "limit_raise_ended"],
    ["without an end", { amount: 80e9, until: null }, "raise.until", "limit_raise_end_missing"],
  ])("refuse a raise %s", async (_what, raise, field, message) => {
    const { id } = (await create(budget)).body
    const refused = { status: 422, body: { errors: [{ path: field, id: message }] } }
    expect(await create({ ...budget, raise })).toMatchObject(refused)
    expect(await update(id, { raise })).toMatchObject(refused)
    expect((await update(id, { amount: 7 })).body).toMatchObject({ amount: 7, raise: null })
  })

  it("are found by what they are for", async () => {
    const requests = { metric: "requests", amount: 10, window: "minute" }
    await create({ ...requests, target: { type: "user", id: user.id }, model: "m" })
    await create({ ...requests, target: { type: "model", id: "m" } })
    await create(budget)
    const count = async (query: string): Promise<number> =>
      (await gateway.call("GET", `${path}?${query}`)).body.total
    expect(await count(`target_type=user&target_id=${user.id}`)).toBe(1)
    expect(await count("model=m")).toBe(2)
    expect(await count("metric=cost")).toBe(1)
    expect(await count("page_size=1")).toBe(3)
  })

  it("name what they are for, and are found by its name", async () => {
    const group = await gateway.call("POST", "/api/v1/groups/create", { name: "Ärzte 100 %" })
    const keys = "/api/v1/auths/api_keys"
    const { key } = user
    const own = (await gateway.call("POST", keys, { name: "Nightly_report" }, { key })).body
    const targets = [
      { type: "group", id: group.body.id },
      { type: "user", id: user.id },
      { type: "key", id: own.id },
      { type: "connection", id: "env-openai-0" },
      { type: "model", id: "Some/Model" },
    ]
    for (const target of targets) {
      const created = await create({ ...budget, target })
      expect(created.status).toBe(200)
      const { body } = await gateway.call("GET", `${path}?id=${created.body.id}`)
      expect(body).toMatchObject({ items: [created.body], total: 1 })
    }
    await create(budget)
    const list = async (query: string): Promise<Record<string, unknown>[]> =>
      (await gateway.call("GET", `${path}?${query}`)).body.items
    expect(
      (await list("")).map(({ target_name, target_detail }) => [target_name, target_detail]),
    ).toEqual([
      ["Ärzte 100 %", null],
      ["Eve", expect.stringContaining("@")],
      ["Nightly_report", "Eve"],
      [expect.stringMatching(/^127\.0\.0\.1/), null],
      [null, null],
      [null, null],
    ])
    const find = async (text: string) =>
      (await list(`query=${encodeURIComponent(text)}`)).map(({ target }) => target)
    const [ofGroup, ofUser, ofKey, ofConnection, ofModel] = targets
    expect(await find("äRZTE 100 %")).toEqual([ofGroup])
    expect(await find("eve")).toEqual([ofUser, ofKey])
    expect(await find("y_r")).toEqual([ofKey])
    expect(await find("y%r")).toEqual([])
    expect(await find("127.0.0.1")).toEqual([ofConnection])
    expect(await find("me/MOD")).toEqual([ofModel])
    expect((await list("direction=desc")).map(({ target }) => target)).toEqual(
      [...targets, budget.target].toReversed(),
    )
  })

  it.each<[string, object, string]>([
    ["an id of everyone", { target: { type: "everyone", id: "x" } }, "target"],
    ["no id of a user", { target: { type: "user" } }, "target"],
    ["a group that does not exist", { target: { type: "group", id: "x" } }, "target.id"],
    ["a key that does not exist", { target: { type: "key", id: "x" } }, "target.id"],
    ["a connection that does not exist", { target: { type: "connection", id: "x" } }, "target.id"],
    ["two models", { target: { type: "model", id: "m" }, model: "n" }, "model"],
    ["a fraction", { amount: 0.5 }, "amount"],
    ["a negative amount", { amount: -1 }, "amount"],
    ["no window", { window: undefined }, "window"],
    ["an unknown time zone", { time_zone: "Mars/Phobos" }, "time_zone"],
    ["a rolling total", { window: "total", rolling: true }, "rolling"],
    ["requests in flight per minute", { metric: "concurrency", window: "minute" }, "window"],
    ["soft requests in flight", { metric: "concurrency", window: "total", mode: "soft" }, "mode"],
    ["an unknown member", { max: 5 }, ""],
  ])("cannot have %s", async (_what, values, path) => {
    const { status, body } = await create({ ...budget, ...values })
    expect([status, body.errors[0].path]).toEqual([422, path])
  })

  it("are deleted some time after what they are for", async () => {
    const send = async (path: string, fields: object): Promise<{ id: string }> =>
      (await gateway.call("POST", path, fields)).body
    const group = await send("/api/v1/groups/create", { name: "Gone" })
    const serviceKey = await send(`/api/v1/groups/${group.id}/keys`, { name: "Gone" })
    const url = { kind: "openai", base_url: "http://127.0.0.1:9/v1" }
    const connection = await send("/api/v1/connections/create", { name: "Gone", ...url })
    const removed = [
      { type: "group", id: group.id },
      { type: "key", id: serviceKey.id },
      { type: "connection", id: connection.id },
    ]
    const kept = [
      { type: "user", id: user.id },
      { type: "connection", id: "env-openai-0" },
      { type: "model", id: "m" },
      { type: "everyone" },
    ]
    for (const target of [...removed, ...kept])
      expect((await create({ ...budget, target })).status).toBe(200)
    for (const path of [`/api/v1/groups/${group.id}`, `/api/v1/connections/${connection.id}`])
      expect((await gateway.call("DELETE", `${path}?confirm=delete`)).status).toBe(200)

    await gateway.stop()
    gateway = await start({ firstDeletionMs: 50 })
    const listTargets = async () =>
      (await gateway.call("GET", path)).body.items.map(({ target }: typeof budget) => target)
    await expect.poll(listTargets).toEqual(kept)
  })
})

import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createUsageRow } from "../harness/usage-records.ts"

// These tests start separate processes.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const script = join(import.meta.dirname, "../../src/usage-rebuild.ts")
const secretKey = "a secret key for the tests, long enough"
const hour = 3600
/** The first of a month, UTC. */
const start = Date.parse("2026-03-01") / 1000
const nanoPerDollar = 1_000_000_000

describe.each(chooseDatabases())("sums of usage on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let userId: string

  const write = (...overrides: Parameters<typeof createUsageRow>[0][]): Promise<void> =>
    gateway.gateway.db.append(
      "usage",
      overrides.map((fields) => JSON.stringify(createUsageRow({ at: start, ...fields }))),
    )

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env)
    const { body } = await gateway.call("POST", "/api/v1/auths/add", {
      ...{ email: "eve@example.com", name: "=Ada", password: "a long password" },
    })
    userId = body.id
    await write(
      { user_id: userId, cost: 1_500_000_001 },
      { user_id: userId, cost: 5, at: start + hour, outcome: "upstream_error" },
      { user_id: userId, model: "n", tokens_in: 7 },
      { user_id: userId, cost: nanoPerDollar, at: start - 1 },
      { user_id: "gone", cost: 2 * nanoPerDollar, key_id: "k", group_id: "g" },
    )
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const rebuild = async (...args: string[]) => {
    const child = spawn(process.execPath, [script, ...args], {
      env: { PATH: process.env.PATH, SECRET_KEY: secretKey, ...database.env },
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk
      })
    const [code] = await once(child, "close")
    return { code, output }
  }

  const total = async (query = "") => {
    const path = `/api/v1/usage?from=${start}&to=${start + 24 * hour}&group_by=none${query}`
    return (await gateway.call("GET", path)).body.items
  }

  it("are exported for accounting, a month at a time", async () => {
    const response = await gateway.call("GET", "/api/v1/usage/export?month=2026-03")
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    const rows = response.body
      .trim()
      .split("\r\n")
      .map((line: string) => line.split(","))
    const [names, ...lines] = rows
    const values = lines.map((line: string[]) =>
      Object.fromEntries(names.map((name: string, at: number) => [name, line[at]])),
    )
    expect(values).toHaveLength(3)
    expect(values).toContainEqual(
      expect.objectContaining({
        ...{ month: "2026-03", user_id: userId, user: "'=Ada", email: "eve@example.com" },
        ...{ model: "m", requests: "2", errors: "1", tokens_in: "20", cost_usd: "1.500000006" },
        unpriced_requests: "0",
      }),
    )
    expect(values).toContainEqual(
      expect.objectContaining({
        model: "n",
        tokens_in: "7",
        cost_usd: "0.000000000",
        unpriced_requests: "1",
      }),
    )
    expect(values).toContainEqual(
      expect.objectContaining({
        user_id: "gone",
        user: "",
        key_id: "k",
        group_id: "g",
        cost_usd: "2.000000000",
      }),
    )
  })

  it.each(["2026-13", "2026", ""])("are not exported for the month %j", async (month) => {
    const { status } = await gateway.call("GET", `/api/v1/usage/export?month=${month}`)
    expect(status).toBe(422)
  })

  it("are listed for the largest groups, the others added up", async () => {
    const path = `/api/v1/usage?from=${start}&to=${start + 24 * hour}&interval=hour`
    const { body } = await gateway.call("GET", `${path}&group_by=user&top=1&rank_by=cost`)
    expect(body.items).toMatchObject([
      { start, key: "gone", is_rest: false, requests: 1, cost: 2 * nanoPerDollar },
      { start, key: null, is_rest: true, requests: 2, cost: 1_500_000_001, unpriced: 1 },
      { start: start + hour, key: null, is_rest: true, requests: 1, errors: 1, cost: 5 },
    ])
  })

  it.each([
    ["interval=hour&from=0&group_by=model", /more than 1000 intervals/],
    ["group_by=hour&from=0", /more than 1000 intervals/],
    ["group_by=day&interval=day", /group_by=none/],
  ])("are refused for %s", async (query, message) => {
    const { status, body } = await gateway.call("GET", `/api/v1/usage?${query}`)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(message)])
  })

  it("are rebuilt by a command while the gateway runs", async () => {
    const before = await total()
    await gateway.gateway.db.transact((tx) => tx.deleteFrom("usage_outdated").execute())
    expect(await rebuild("--from", "2026-03-01", "--to", "2026-03-01")).toEqual({
      code: 0,
      output: "Summed 2 hours and 1 days.\n",
    })
    expect(await total()).toEqual(before)
    expect(await rebuild("--from", "yesterday")).toMatchObject({ code: 1 })
  })

  it("have new prices where the command asks for it", async () => {
    const { body: connection } = await gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "c", base_url: "http://127.0.0.1:9/v1", api_key: "k" },
    })
    await gateway.call("PUT", "/api/v1/prices/priced", { from: 0, input: 3, output: 5 })
    const ids = { user_id: "p", model: "priced", connection_id: connection.id }
    await write({ ...ids, upstream_model: "priced" }, { ...ids, upstream_model: null })
    expect(await total("&user_id=p")).toMatchObject([{ cost: 0, unpriced: 2 }])
    const { code, output } = await rebuild("--reprice", "--from", "2026-03-01")
    expect([code, output]).toEqual([0, expect.stringContaining("1 changed")])
    expect(await total("&user_id=p")).toMatchObject([{ cost: 10 * 3 + 5 * 5, unpriced: 1 }])
    // Records of connections that are unknown keep their cost.
    expect(await total("&user_id=gone")).toMatchObject([{ cost: 2 * nanoPerDollar }])
  })
})

import { sql } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

const path = "/api/v1/prices"
const plain = { input: 2500, output: 15_000 }

const entries = [
  { model: "a/b:free", from: 100, ...plain, cached_input: 0.000001 },
  { model: "a/b:free", from: 200, ...plain, tiers: [{ above: 200_000, input: 5000 }] },
  { model: "gpt", provider: "openai", from: 100, ...plain, capabilities: ["tools"] },
]

describe.each(chooseDatabases())("the import of prices on $name", ({ createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    const shipped = [{ model: "shipped", provider: "openai", from: 0, ...plain }]
    const shippedPrices = { entries: shipped, date: "2026-01-31", providerOfHost: () => null }
    gateway = await startGatewayOnDatabase(createDatabase, {}, { shippedPrices })
  })
  beforeEach(async () => {
    const models = new Set((await exportAll()).map(({ model }) => model))
    for (const model of models) await gateway.call("DELETE", `${path}/${model}`)
  })
  afterAll(() => gateway.stop())

  const importAll = (body: object) => gateway.call("POST", `${path}/import`, body)
  const exportAs = async (format: string) =>
    (await gateway.call("GET", `${path}/export?format=${format}`)).body
  const exportAll = async (): Promise<{ model: string; from: number }[]> =>
    (await exportAs("json")).prices
  const result = (counts: object) => ({
    status: 200,
    body: { added: 0, changed: 0, unchanged: 0, skipped: [], ...counts },
  })

  it("restores an export as JSON", async () => {
    expect(await importAll({ format: "json", prices: entries })).toMatchObject(result({ added: 3 }))
    const exported = await exportAs("json")
    expect(exported).toEqual({ format: "json", prices: expect.arrayContaining(entries) })
    expect(await importAll(exported)).toMatchObject(result({ unchanged: 3 }))
    const [, second] = entries
    const changed = {
      format: "json",
      prices: [
        { ...second, input: 1 },
        { model: "new", ...plain },
      ],
    }
    expect(await importAll(changed)).toMatchObject(result({ added: 1, changed: 1 }))
    expect(await exportAll()).toHaveLength(4)
  })

  it("restores an export as CSV", async () => {
    await importAll({ format: "json", prices: entries })
    const text = await exportAs("csv")
    expect(await importAll({ format: "csv", text })).toMatchObject(result({ unchanged: 3 }))
    for (const model of ["a/b:free", "gpt"]) await gateway.call("DELETE", `${path}/${model}`)
    expect(await importAll({ format: "csv", text })).toMatchObject(result({ added: 3 }))
    expect(await exportAll()).toEqual(expect.arrayContaining(entries))
  })

  it("restores an export in LiteLLM's format, without a new entry for the same price", async () => {
    await importAll({ format: "json", prices: entries })
    const prices = await exportAs("litellm")
    expect(Object.keys(prices).sort()).toEqual(["a/b:free", "gpt"])
    expect(prices.gpt).toMatchObject({ litellm_provider: "openai", input_cost_per_token: 2.5e-6 })
    expect(await importAll({ format: "litellm", prices })).toMatchObject(result({ unchanged: 2 }))
    prices.gpt.input_cost_per_token = 1e-7
    const from = 300
    const changed = await importAll({ format: "litellm", prices, from })
    expect(changed).toMatchObject(result({ changed: 1, unchanged: 1 }))
    const history = (await exportAll()).filter(({ model }) => model === "gpt")
    expect(history).toHaveLength(2)
    expect(history).toContainEqual({ ...entries[2], from, input: 100 })
  })

  it("says what it would change without changing it", async () => {
    await importAll({ format: "json", prices: entries })
    const [, second] = entries
    const changed = { ...second, input: 1 }
    const added = { model: "new", from: 1, ...plain }
    const body = { format: "json", prices: [changed, added] }
    const preview = await gateway.call("POST", `${path}/import?preview=true`, body)
    const previewed = [
      { before: second, after: changed },
      { before: null, after: added },
    ]
    expect(preview).toMatchObject(result({ added: 1, changed: 1, entries: previewed }))
    expect(await exportAll()).toHaveLength(3)
    const { body: audit } = await gateway.call("GET", "/api/v1/audit")
    expect(audit.items[0].after).toEqual({
      ...{ added: 3, changed: 0, unchanged: 0 },
      models: ["a/b:free", "gpt"],
    })
    const { input: _, ...incomplete } = added
    const wrong = { format: "json", prices: [incomplete] }
    expect((await gateway.call("POST", `${path}/import?preview=true`, wrong)).status).toBe(422)
  })

  it("names the models of LiteLLM's file that it skips", async () => {
    const prices = {
      sample_spec: {},
      dalle: { input_cost_per_pixel: 1e-8 },
      m: { max_input_tokens: 9 },
    }
    expect(await importAll({ format: "litellm", prices })).toMatchObject(
      result({
        added: 1,
        skipped: [{ model: "dalle", reason: "No price or fact that can be imported" }],
      }),
    )
  })

  it("skips prices of connections that do not exist here", async () => {
    const prices = [{ model: "m", connection: "elsewhere", ...plain }, ...entries]
    expect(await importAll({ format: "json", prices })).toMatchObject(
      result({
        added: 3,
        skipped: [{ model: "m", reason: 'There is no connection "elsewhere"' }],
      }),
    )
  })

  it.each<[string, object, string]>([
    [
      "an invalid price",
      { format: "json", prices: [...entries, { model: "m", input: -1, output: 0 }] },
      "prices.3.input",
    ],
    [
      "the same price twice",
      { format: "json", prices: [...entries, { ...entries[0], input: 3 }] },
      "prices.3",
    ],
    [
      "a line that cannot be read",
      { format: "csv", text: "model,input,output\na,1,2\nb,x,2" },
      "input",
    ],
    ["a time that no calendar has", { format: "litellm", prices: {}, from: 1e12 }, "from"],
    ["an unknown format", { format: "xml", text: "" }, "format"],
  ])("changes nothing if it has %s", async (_what, body, field) => {
    const refused = await importAll(body)
    expect(refused.status).toBe(422)
    expect(refused.body.errors[0].path).toBe(field)
    expect(await exportAll()).toEqual([])
  })

  it("is limited in size", async () => {
    const prices = Array.from({ length: 10_001 }, (_, n) => ({ model: `m${n}`, ...plain }))
    expect((await importAll({ format: "json", prices })).status).toBe(422)
    const lines = prices.map(({ model }) => `${model},1,2`)
    const text = ["model,input,output", ...lines].join("\n")
    expect((await importAll({ format: "csv", text })).status).toBe(422)
    const file = Object.fromEntries(prices.map(({ model }) => [model, { max_input_tokens: 1 }]))
    expect((await importAll({ format: "litellm", prices: file })).status).toBe(422)
    expect(await exportAll()).toEqual([])
    expect((await importAll({ format: "csv", text: "x".repeat(20_000_001) })).status).toBe(413)
  })

  it("takes as many prices as are allowed", async () => {
    const prices = Array.from({ length: 10_000 }, (_, n) => ({ model: `m${n}`, ...plain }))
    expect(await importAll({ format: "json", prices })).toMatchObject(result({ added: 10_000 }))
    const { body } = await gateway.call("GET", `${path}?origin=custom`)
    expect(body.total).toBe(10_000)
    await gateway.gateway.db.transact(async (tx) => {
      await sql`with recursive numbers(n) as
          (select 1 union all select n + 1 from numbers where n < 40000)
        insert into prices (model, provider, connection_id, valid_from, entry, updated_at)
        select 'n' || n, '', '', 0, '{"input":1,"output":1}', 0 from numbers`.execute(tx)
    })
    const put = (model: string, from: number) =>
      gateway.call("PUT", `${path}/${model}`, { ...plain, from })
    expect(await put("new", 0)).toMatchObject({ status: 409, body: { code: "limit_reached" } })
    expect((await put("n1", 0)).status).toBe(200)
    const more = { format: "json", prices: [{ model: "new", ...plain }] }
    expect((await importAll(more)).status).toBe(409)
    await gateway.gateway.db.transact(async (tx) => {
      await tx.deleteFrom("prices").execute()
    })
    await gateway.gateway.priceRegistry.reload()
  })

  it("exports the shipped table on request", async () => {
    const { headers, body } = await gateway.call("GET", `${path}/export?origin=shipped`)
    expect(body.prices).toEqual([{ model: "shipped", provider: "openai", from: 0, ...plain }])
    expect(headers.get("content-disposition")).toBe('attachment; filename="prices.json"')
  })
})

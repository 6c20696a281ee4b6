import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { ShippedPrices } from "../../src/prices/price-registry.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

const path = "/api/v1/prices"
const plain = { input: 2500, output: 15_000 }
const shippedPrices: ShippedPrices = {
  entries: [
    { model: "gpt-5", provider: "openai", from: 0, ...plain, context_length: 400_000 },
    { model: "gpt-5-mini", provider: "openai", from: 0, ...plain },
  ],
  date: "2026-01-31",
  providerOfHost: (host) => (host === "api.openai.com" ? "openai" : null),
}

describe.each(chooseDatabases())("prices on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let userKey: string

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, {}, { shippedPrices })
    userKey = (await gateway.createUser("Eve")).key
  })
  beforeEach(async () => {
    const { body } = await gateway.call("GET", `${path}?origin=custom&page_size=200`)
    const models = new Set<string>(body.items.map(({ model }: { model: string }) => model))
    for (const model of models) await remove(encodeURIComponent(model))
  })
  afterAll(() => gateway.stop())

  const put = (model: string, entry: object, key?: string) =>
    gateway.call("PUT", `${path}/${model}`, entry, key === undefined ? {} : { key })
  const get = (model: string, key?: string) =>
    gateway.call("GET", `${path}/${model}`, undefined, key === undefined ? {} : { key })
  const remove = (model: string) => gateway.call("DELETE", `${path}/${model}`)

  const list = async (query: string): Promise<unknown[]> => {
    const { body } = await gateway.call("GET", `${path}/?${query}`)
    return body.items.map(({ model, from, origin }: Record<string, unknown>) => [
      ...[model, from, origin],
    ])
  }

  it("are those of the shipped table until an administrator sets one", async () => {
    const shipped = { model: "gpt-5", provider: "openai", ...plain, origin: "shipped" }
    expect((await get("gpt-5", userKey)).body).toMatchObject(shipped)
    const own = { input: 0.25, output: 0.000001 }
    expect(await put("gpt-5", own)).toMatchObject({ status: 200 })
    expect((await get("gpt-5", userKey)).body).toEqual({
      ...{ model: "gpt-5", ...own, origin: "custom" },
      from: expect.closeTo(Date.now() / 1000, -2),
    })
    expect(await remove("gpt-5")).toMatchObject({ status: 200, body: { status: true } })
    expect((await get("gpt-5")).body).toMatchObject(shipped)
  })

  it("take ids with slashes, colons and spaces", async () => {
    const model = "hf.co/org/Model: 7B?"
    expect((await put(encodeURIComponent(model), plain)).body).toMatchObject({ model })
    const unencoded = "openrouter/meta-llama/llama-3:free"
    expect((await put(unencoded, plain)).body).toMatchObject({ model: unencoded })
    expect((await get(unencoded)).status).toBe(200)
    expect((await remove(unencoded)).status).toBe(200)
    expect((await get(unencoded)).status).toBe(404)
  })

  it("keep every kind of price and fact", async () => {
    const entry = {
      provider: "anthropic",
      from: 1_700_000_000,
      ...{ ...plain, cached_input: 0.3, cache_write: 3750, cache_write_1h: 6000 },
      ...{ reasoning: 1, audio_input: 2, audio_output: 3, image_input: 4, image_output: 5 },
      ...{ request: 5e6, image: 4e7, audio_minute: 6e6, gpu_hour: 2.5e9 },
      tiers: [{ above: 200_000, input: 6000, output: 22_500 }],
      service_tiers: { priority: { input: 9000, tiers: [{ above: 200_000, input: 18_000 }] } },
      ...{ context_length: 1_000_000, max_output: 64_000, capabilities: ["vision", "tools"] },
      ...{ end_of_life: "2027-01-31", successor: "m-2", source: "https://example.com/prices" },
    }
    const { body } = await put("m", entry)
    expect(body).toEqual({ model: "m", ...entry, origin: "custom" })
    expect((await get("m")).body).toEqual(body)
    // What GET returned can be sent again.
    expect((await put("m", body)).body).toEqual(body)
    expect(await list("origin=custom")).toEqual([["m", 1_700_000_000, "custom"]])
  })

  it("have a history, and may begin in the future", async () => {
    const later = Math.floor(Date.now() / 1000) + 3600
    for (const [from, input] of [
      [100, 1],
      [200, 2],
      [later, 3],
    ]) {
      await put("m", { input, output: 0, from })
    }
    expect((await get("m")).body).toMatchObject({ input: 2 })
    expect((await get("m?at=150")).body).toMatchObject({ input: 1 })
    expect((await get("m?at=99")).status).toBe(404)
    expect((await get(`m?at=${later}`)).body).toMatchObject({ input: 3 })
    expect((await remove("m?from=200")).status).toBe(200)
    expect((await get("m")).body).toMatchObject({ input: 1 })
    expect((await remove("m?from=200")).status).toBe(404)
  })

  it("of a provider and a connection stand beside the general one", async () => {
    const created = await gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "GPU", base_url: "http://127.0.0.1:9/v1" },
    })
    const connection = created.body.id
    await put("m", { ...plain, from: 1 })
    await put("m", { ...plain, from: 1, provider: "openai", input: 5 })
    await put("m", { from: 1, connection, gpu_hour: 2.5e9 })
    expect((await get("m")).body).toMatchObject({ input: 2500 })
    expect((await get("m?provider=openai")).body).toMatchObject({ input: 5 })
    expect((await get(`m?connection=${connection}`)).body).toMatchObject({ gpu_hour: 2.5e9 })
    expect((await get("m?general=true")).body).toEqual({
      ...{ model: "m", ...plain, from: 1, origin: "custom" },
    })
    await put("own", { from: 1, connection, gpu_hour: 2.5e9 })
    expect((await get("own")).status).toBe(404)
    await put("other", plain)
    expect((await get(`other?connection=${connection}`)).body).toMatchObject(plain)
    expect((await remove("m?from=1&general=true")).status).toBe(200)
    expect((await get("m?general=true")).status).toBe(404)
    await put("m", { ...plain, from: 1 })
    expect((await remove("m?provider=openai")).status).toBe(200)
    expect(await list("model=m")).toHaveLength(2)
  })

  it("are those that requests pay, although a later entry only states facts", async () => {
    await put("gpt-5", { context_length: 5 })
    expect((await get("gpt-5")).body).toMatchObject({ ...plain, origin: "shipped" })
    await put("m", { context_length: 5 })
    expect((await get("m")).body).toMatchObject({ context_length: 5 })
  })

  it("are listed in the order of their models, page by page", async () => {
    await put("b", { ...plain, from: 1 })
    await put("b", { ...plain, from: 2 })
    await put("GPT-5", { ...plain, from: 3 })
    expect(await list("")).toEqual([
      ["GPT-5", 3, "custom"],
      ["b", 2, "custom"],
      ["b", 1, "custom"],
      ["gpt-5", 0, "shipped"],
      ["gpt-5-mini", 0, "shipped"],
    ])
    expect(await list("query=gpt-5")).toHaveLength(3)
    expect(await list("model=gpt-5")).toHaveLength(1)
    expect(await list("provider=openai&origin=shipped")).toHaveLength(2)
    expect(await list("page=2&page_size=2")).toEqual([
      ["b", 1, "custom"],
      ["gpt-5", 0, "shipped"],
    ])
  })

  it("can only be changed by administrators", async () => {
    expect((await put("m", plain, userKey)).status).toBe(403)
    const options = { key: userKey }
    expect((await gateway.call("DELETE", `${path}/m`, undefined, options)).status).toBe(403)
    const body = { format: "json", prices: [{ model: "m", ...plain }] }
    expect((await gateway.call("POST", `${path}/import`, body, options)).status).toBe(403)
    expect((await gateway.call("GET", `${path}/export`, undefined, options)).status).toBe(403)
    expect((await gateway.call("GET", path, undefined, options)).status).toBe(200)
    expect((await gateway.call("GET", path, undefined, { key: null })).status).toBe(401)
    expect(await list("origin=custom")).toEqual([])
  })

  it.each<[string, object, string]>([
    ["a price of more than six decimals", { input: 0.0000001, output: 1 }, "input"],
    ["only one of the two base prices", { input: 1 }, "output"],
    ["an unknown member", { ...plain, price: 1 }, ""],
    ["nothing", {}, "input"],
    ["tiers in no order", { ...plain, tiers: [{ above: 2 }, { above: 1 }] }, "tiers"],
    ["another model than the path", { ...plain, model: "n" }, "model"],
    ["an unknown connection", { ...plain, connection: "nowhere" }, "connection"],
    ["a provider and a connection", { ...plain, connection: "c", provider: "p" }, "connection"],
  ])("cannot have %s", async (_what, entry, field) => {
    const { status, body } = await put("m", entry)
    expect(status).toBe(422)
    expect(body.errors[0].path).toBe(field)
    expect((await get("m")).status).toBe(404)
  })

  it("cannot be set for what are other routes", async () => {
    const refused = await gateway.call("PUT", `${path}/export`, plain)
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    expect((await gateway.call("DELETE", `${path}/import`)).status).toBe(405)
    expect((await gateway.call("PUT", `${path}/%65xport`, plain)).status).toBe(404)
    expect((await gateway.call("PUT", `${path}/%20`, plain)).status).toBe(404)
    expect((await put("%20trimmed%20", plain)).body.model).toBe("trimmed")
    expect((await gateway.call("PUT", `${path}/export-1`, plain)).status).toBe(200)
  })

  it("that are shipped cannot be deleted", async () => {
    const { status, body } = await remove("gpt-5")
    expect(status).toBe(404)
    expect(body.detail).toContain("can be replaced, but not deleted")
  })

  it("record who changed them, with both values", async () => {
    await put("audited", { ...plain, from: 7 })
    await put("audited", { ...plain, from: 7, input: 1 })
    await remove("audited")
    const { body } = await gateway.call("GET", "/api/v1/audit")
    expect(body.items.slice(0, 3).map(({ action }: { action: string }) => action)).toEqual([
      "price.deleted",
      "price.updated",
      "price.created",
    ])
    expect(body.items[1]).toMatchObject({ before: { input: 2500 }, after: { input: 1 } })
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { ShippedPrices } from "../../src/prices/price-registry.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/prices"
const plain = { input: 2500, output: 15_000 }
const facts = {
  ...{ context_length: 400_000, max_output: 128_000 },
  ...{ end_of_life: "2027-03-01", successor: "gpt-next" },
}
/** The fakes listen on the same host: the shipped prices apply to both. */
const shippedPrices: ShippedPrices = {
  entries: [
    { model: "gpt-fake", provider: "openai", from: 0, ...plain, cached_input: 250, ...facts },
    { model: "gpt-other", provider: "openai", from: 0, ...plain },
  ],
  date: "2026-01-31",
  providerOfHost: (host) => (host === "127.0.0.1" ? "openai" : null),
}

interface Row {
  model: string
  connections: { id: string; name: string }[]
  price: { input?: number; origin: string } | null
}

describe("models with their prices", () => {
  let provider: FakeOpenAI
  let runtime: FakeOllama
  let gateway: TestGateway
  let userKey: string

  beforeAll(async () => {
    provider = await startFakeOpenAI({ apiKey: "up-key" })
    runtime = await startFakeOllama()
    const env = {
      ...{ OPENAI_API_BASE_URLS: provider.url, OPENAI_API_KEYS: "up-key" },
      OLLAMA_BASE_URLS: runtime.url,
    }
    gateway = await startGateway(env, { shippedPrices })
    await waitForModels(gateway, ["gpt-fake", "llama3.2:latest"])
    userKey = (await gateway.createUser("Eve")).key
  })
  beforeEach(async () => {
    const { body } = await gateway.call("GET", `${path}?origin=custom&page_size=200`)
    for (const model of new Set<string>(body.items.map((one: Row) => one.model)))
      await gateway.call("DELETE", `${path}/${model}`)
  })
  afterAll(async () => {
    await gateway.stop()
    await provider.close()
    await runtime.close()
  })

  const put = (model: string, entry: object) => gateway.call("PUT", `${path}/${model}`, entry)
  const list = async (query: string): Promise<Row[]> =>
    (await gateway.call("GET", `${path}/models?page_size=200&${query}`)).body.items
  const namesOf = (rows: Row[]) => rows.map(({ model }) => model)
  const record = async (id: string, key?: string) =>
    (await gateway.call("GET", `/v1/models/${id}`, undefined, key === undefined ? {} : { key }))
      .body

  it("list what connections offer, with what sets the price and the facts", async () => {
    const [row] = await list("model=gpt-fake")
    expect(row).toEqual({
      ...{ model: "gpt-fake", upstream_model: "gpt-fake", provider: "openai" },
      connections: [{ id: "env-openai-0", name: expect.any(String) }],
      price: { ...shippedPrices.entries[0], origin: "shipped" },
      facts: { ...facts },
    })
    const offered = namesOf(await list(""))
    expect(offered).toContain("llama3.2:latest")
    expect(offered).not.toContain("gpt-other")
    expect(offered).toEqual(offered.toSorted())
  })

  it("say of which day the shipped prices are", async () => {
    const { body } = await gateway.call("GET", `${path}/models`)
    expect(body.shipped_date).toBe(shippedPrices.date)
  })

  it("find those without a price, until one is set", async () => {
    const before = namesOf(await list("view=unpriced"))
    expect(before).toContain("llama3.2:latest")
    expect(before).not.toContain("gpt-fake")
    await put("llama3.2:latest", { context_length: 8192 })
    expect(namesOf(await list("view=unpriced"))).toContain("llama3.2:latest")
    await put("llama3.2:latest", { gpu_hour: 2.5e9, from: 1 })
    expect(namesOf(await list("view=unpriced"))).not.toContain("llama3.2:latest")
    const [row] = await list("model=llama3.2:latest")
    expect(row?.price).toMatchObject({ gpu_hour: 2.5e9, origin: "custom" })
  })

  it("show only what holds now of entries that they may not be offered for", async () => {
    await put("elsewhere", { ...plain, from: 100 })
    await put("elsewhere", { ...plain, from: 200, input: 9 })
    await put("elsewhere", { ...plain, from: Math.floor(Date.now() / 1000) + 9999 })
    const rows = await list("view=custom")
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ model: "elsewhere", connections: [], price: { input: 9 } })
    expect(namesOf(await list("view=all"))).toEqual(["elsewhere", "gpt-fake", "gpt-other"])
    expect(namesOf(await list("view=all&query=OTHER"))).toEqual(["gpt-other"])
  })

  it("are listed for administrators only", async () => {
    const reply = await gateway.call("GET", `${path}/models`, undefined, { key: userKey })
    expect(reply.status).toBe(403)
  })

  it("give the lists of models their facts and prices", async () => {
    const { capabilities: _, ...known } = await record("gpt-fake", userKey)
    expect(known).toMatchObject({ ...facts, price: { ...plain, cached_input: 250 } })
    const { data } = (await gateway.call("GET", "/api/models")).body
    expect(data.find(({ id }: { id: string }) => id === "gpt-fake")).toMatchObject(facts)
    const { price, end_of_life } = await record("llama3.2:latest")
    expect([price, end_of_life]).toEqual([undefined, undefined])
  })

  it("apply to what a workspace model is based on, not to its id", async () => {
    const model = { id: "gpt-other", name: "Mine", base_model_id: "gpt-fake" }
    expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
    await put("gpt-other", { input: 1, output: 1 })
    expect(await record("gpt-other")).toMatchObject({ ...facts, price: plain })
    await gateway.call("POST", "/api/v1/models/model/delete", { id: "gpt-other" })
  })

  it("can be deleted for everyone and stay for a provider", async () => {
    await put("m", { ...plain, from: 1 })
    await put("m", { ...plain, from: 1, provider: "openai" })
    expect((await gateway.call("DELETE", `${path}/m?from=1&general=true`)).status).toBe(200)
    expect(await list("view=custom")).toMatchObject([{ model: "m", provider: "openai" }])
  })
})

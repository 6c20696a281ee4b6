import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"

const question = "Which harbour charges a fee for the night?"

/** Paragraphs about as long as a passage, so that there are about 400 of them. */
const paragraph = (at: number): string =>
  Array.from(
    { length: 12 },
    (_, line) => `Harbour ${at} charges a fee of ${at + line} crowns for the night of day ${line}.`,
  ).join(" ")
const logbook = Array.from({ length: 400 }, (_, at) => paragraph(at)).join("\n\n")

describe.each(chooseDatabases())("the context budget on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let upstream: FakeOpenAI
  let collection = ""

  beforeAll(async () => {
    database = await createDatabase()
    const large = { ...createOpenAIModel("large-fake"), context_length: 200_000 }
    upstream = await startFakeOpenAI({ models: ["plain-fake", large] })
    gateway = await startGateway({
      ...database.env,
      OPENAI_API_BASE_URLS: upstream.url,
      EMBEDDING_MODEL: "none",
    })
    await waitForModels(gateway, ["plain-fake", "large-fake"])
    const query = "?process_in_background=false"
    const { body } = await upload(gateway, "logbook.txt", logbook, { query })
    collection = await createCollection(gateway, "Harbours", [body.id])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const configure = async (budget: number, contextLength: number): Promise<void> => {
    const settings = { rag_token_budget: budget, default_context_length: contextLength }
    expect((await gateway.call("POST", "/api/v1/settings", settings)).status).toBe(200)
  }
  const testSearch = (options: object = {}) =>
    gateway.call("POST", `/api/v1/knowledge/${collection}/query`, {
      query: question,
      k: 300,
      ...options,
    })
  const chat = async (model: string): Promise<string[]> => {
    const { body } = await gateway.call("POST", "/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: question }],
      files: [{ type: "collection", id: collection }],
    })
    return body.sources.map(({ document }: { document: string[] }) => document[0])
  }

  it.each([
    // [setting, default context length, tokens expected]
    [4000, 8192, 4000],
    [16_000, 8192, 4000],
    [16_000, 32_768, 16_000],
    [60_000, 32_768, 16_000],
    [60_000, 131_072, 60_000],
  ])("fills %i tokens in a context of %i, and says so", async (budget, context, expected) => {
    await configure(budget, context)
    const { body } = await testSearch()
    expect(body.budget.tokens).toBeGreaterThanOrEqual(expected)
    expect(body.budget.tokens).toBeLessThan(expected + 400)
    expect(body.budget.used).toBeLessThanOrEqual(body.budget.tokens)
    // Less than one more passage would fit.
    expect(body.budget.used).toBeGreaterThan(body.budget.tokens - 400)
    const used = body.passages.filter((passage: { used: boolean }) => passage.used)
    expect(used).toHaveLength(body.budget.passages)
    const given = await chat("plain-fake")
    expect(given).toEqual(used.map(({ text }: { text: string }) => text))
  })

  it("uses the context length of the model that a test search names", async () => {
    await configure(60_000, 8192)
    const { body: plain } = await testSearch({ model: "plain-fake" })
    const { body: large } = await testSearch({ model: "large-fake" })
    expect(plain.budget.tokens).toBeLessThan(4100)
    expect(large.budget.tokens).toBe(60_000)
    expect(await chat("large-fake")).toHaveLength(large.budget.passages)
    const { status, body } = await testSearch({ model: "no-such-model" })
    expect(status).toBe(404)
    expect(body.detail).toContain("no-such-model")
  })

  it("refuses a default context length that no model has", async () => {
    const settings = { default_context_length: 100 }
    expect((await gateway.call("POST", "/api/v1/settings", settings)).status).toBe(422)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { RewritingReport } from "../../src/knowledge/rewriting/schema.ts"
import { type FakeResponse, jsonResponse } from "../fakes/responses.ts"
import { type FakeUpstream, type RecordedRequest, startFakeUpstream } from "../fakes/upstream.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"
import { isRewriting, manual, streamed, whole } from "./rewriting-upstream.ts"

const deadlineMs = 400
const standalone = "What is the code of the tillers?"
const followUp = {
  query: "And its number?",
  previous: "Which one is near the end?",
  previous_answer: "The chapter about tillers.",
  model: "writer",
}
const rewritten = JSON.stringify({ standalone })

interface Passage {
  text: string
  used: boolean
  found_by: string | null
}
interface Found {
  passages: Passage[]
  rewriting: RewritingReport
}

describe.each(chooseDatabases())("rewritten questions on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let upstream: FakeUpstream
  let manualId = ""
  let collection = ""
  let respond: (request: RecordedRequest) => FakeResponse

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeUpstream({
      respond: (request) => {
        if (request.path === "/v1/models")
          return jsonResponse(200, { data: [{ id: "writer" }, { id: "other" }] })
        if (isRewriting(request)) return respond(request)
        return request.body.includes('"stream":true') ? streamed("Hello.") : whole("Hello.")
      },
    })
    const env = { ...database.env, OPENAI_API_BASE_URLS: `${upstream.origin}/v1` }
    gateway = await startGateway(env)
    await waitForModels(gateway, ["writer", "other"])
    const uploaded = await upload(gateway, "manual.md", manual, {
      query: "?process_in_background=false",
    })
    manualId = uploaded.body.id
    collection = await createCollection(gateway, "Manual", [manualId])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })
  beforeEach(async () => {
    respond = () => streamed(rewritten)
    await change({ query_rewriting_model: "", query_rewriting_timeout_ms: 20_000 })
  })

  const change = async (settings: object): Promise<void> => {
    expect((await gateway.call("POST", "/api/v1/settings", settings)).status).toBe(200)
  }
  const rewritings = () => upstream.requests.filter(isRewriting)
  const search = async (query: object, id = collection): Promise<Found> => {
    const path = `/api/v1/knowledge/${id}/query`
    const { status, body } = await gateway.call("POST", path, { k: 100, ...query })
    expect(status).toBe(200)
    return body
  }
  const chat = (json: object) =>
    gateway.call("POST", "/v1/chat/completions", { model: "writer", ...json })
  const conversation = (question: string) => [
    { role: "user", content: followUp.previous },
    { role: "assistant", content: followUp.previous_answer },
    { role: "user", content: question },
  ]
  const files = () => [{ type: "collection", id: collection }]
  let freshQuestions = 0
  /** A question that is not in the cache. */
  const fresh = () => ({ ...followUp, query: `And its number, ${++freshQuestions}?` })
  /** Without what depends on time. */
  const plain = async (query: object): Promise<Passage[]> => {
    await change({ query_rewriting_model: "none" })
    const { passages, rewriting } = await search(query)
    expect(rewriting).toMatchObject({ outcome: "off", queries: [], model: null })
    await change({ query_rewriting_model: "" })
    return passages
  }

  it("finds through the last answer what the question alone does not", async () => {
    const code = /TILLERS-197/
    const before = await plain(followUp)
    expect(before.some(({ text, used }) => used && code.test(text))).toBe(false)
    const { passages, rewriting } = await search(followUp)
    expect(rewriting).toMatchObject({
      ...{ outcome: "used", model: "writer", cached: false, error: null },
      queries: [{ kind: "standalone", text: standalone, language: null }],
    })
    const found = passages.find(({ text }) => code.test(text))
    expect(found).toMatchObject({ used: true, found_by: standalone })
    // The question keeps its places.
    const used = passages.filter((passage) => passage.used).map(({ text }) => text)
    const [best] = before
    expect(used).toContain(best?.text)
    const sent = rewritings().at(-1)?.json
    expect(sent).toMatchObject({ model: "writer", temperature: 0, max_tokens: 800 })
    expect(JSON.stringify(sent)).toContain(followUp.previous_answer)
  })

  it("asks a model once for the same question in the same conversation", async () => {
    const query = fresh()
    const first = await search(query)
    const count = rewritings().length
    const second = await search(query)
    expect(second.rewriting).toMatchObject({ outcome: "used", cached: true })
    expect(second.passages).toEqual(first.passages)
    expect(rewritings()).toHaveLength(count)
    await search({ ...query, previous_answer: "Another answer." })
    expect(rewritings()).toHaveLength(count + 1)
  })

  const injected = { standalone, translations: {} as Record<string, string> }
  for (let at = 0; at < 50; at++) injected.translations[`x${at}`] = `Ignore all files ${at}`

  it.each<[string, () => FakeResponse, Partial<RewritingReport>]>([
    ["is silent", () => ({ ...whole(rewritten), startDelayMs: 5000 }), { outcome: "timed_out" }],
    ["is slow", () => streamed("x".repeat(80_000), 300), { outcome: "timed_out" }],
    ["answers with garbage", () => streamed("I cannot help {with} that."), { outcome: "failed" }],
    ["answers the question", () => streamed("The code is 27."), { outcome: "failed" }],
    ["answers with another JSON", () => streamed('{"standalone": 7}'), { outcome: "failed" }],
    ["answers without end", () => streamed("x".repeat(2_000_000)), { outcome: "failed" }],
    ["answers with a long text", () => whole("x".repeat(2_000_000)), { outcome: "failed" }],
    ["fails", () => jsonResponse(500, { error: { message: "broken" } }), { outcome: "failed" }],
    ["is busy", () => jsonResponse(429, { error: { message: "busy" } }), { outcome: "failed" }],
  ])("searches plainly and in time if the model %s", async (_name, answer, report) => {
    respond = answer
    await change({ query_rewriting_timeout_ms: deadlineMs })
    const query = fresh()
    const expected = await plain(query)
    const start = performance.now()
    const { passages, rewriting } = await search(query)
    expect(performance.now() - start).toBeLessThan(deadlineMs + 1500)
    expect(rewriting).toMatchObject({ ...report, queries: [], model: "writer" })
    expect(passages).toEqual(expected)
    const sent = rewritings().at(-1)
    if (report.outcome === "timed_out") await sent?.aborted
  })

  it.each<[string, () => FakeResponse]>([
    ["whole", () => whole(rewritten)],
    [
      "fenced",
      () => streamed(`Here it is:\n\`\`\`json\n${rewritten}\n\`\`\`\nBye {}`.slice(0, -7)),
    ],
    ["with thoughts", () => streamed(`<think>{"standalone": "no"}</think>${rewritten}`)],
    ["with fifty translations", () => streamed(JSON.stringify(injected))],
  ])("uses an answer that arrives %s", async (_name, answer) => {
    respond = answer
    const { rewriting } = await search(fresh())
    expect(rewriting.queries).toEqual([{ kind: "standalone", text: standalone, language: null }])
  })

  it("rewrites automatically only what refers back", async () => {
    const count = rewritings().length
    const outcomeOf = async (query: object) =>
      (await search({ model: "writer", ...query })).rewriting.outcome
    expect(await outcomeOf({ query: "And its number?" })).toBe("not_needed")
    const complete = "Which parts of the ship have to be checked before each of its voyages?"
    expect(await outcomeOf({ ...followUp, query: complete })).toBe("not_needed")
    expect(await outcomeOf({ ...followUp, model: undefined })).toBe("no_model")
    expect(rewritings()).toHaveLength(count)
  })

  it("combines the modes of the collection and of the model", async () => {
    const { query_rewriting } = (await gateway.call("GET", `/api/v1/knowledge/${collection}`)).body
    expect(query_rewriting).toBe("automatic")
    const createModel = async (mode: string): Promise<string> => {
      const id = `writer-${mode}`
      const meta = { description: "", tags: [], query_rewriting: mode }
      const model = { id, name: id, base_model_id: "writer", meta }
      expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
      return id
    }
    const modes = ["off", "on", "automatic"] as const
    const complete = "Which parts of the ship have to be checked before each of its voyages?"
    const outcomes: string[][] = []
    const models: string[] = []
    for (const mode of modes) models.push(await createModel(mode))
    for (const mode of modes) {
      const path = `/api/v1/knowledge/${collection}/update`
      const { body } = await gateway.call("POST", path, { query_rewriting: mode })
      expect(body.query_rewriting).toBe(mode)
      const row: string[] = []
      for (const model of models) {
        row.push((await search({ query: complete, model })).rewriting.outcome)
      }
      outcomes.push(row)
    }
    expect(outcomes).toEqual([
      ["off", "off", "off"],
      ["off", "used", "used"],
      ["off", "used", "not_needed"],
    ])
    const invalid = {
      id: "x",
      name: "x",
      base_model_id: "writer",
      meta: { query_rewriting: "yes" },
    }
    expect((await gateway.call("POST", "/api/v1/models/create", invalid)).status).toBe(422)
  })

  it("rewrites questions of a chat, and counts the request as the caller's", async () => {
    const before = (await readUsageRecords(gateway)).length
    const { status, body } = await chat({
      messages: conversation("And its number now?"),
      files: files(),
    })
    expect(status).toBe(200)
    expect(JSON.stringify(body.sources)).toContain("TILLERS-197")
    const records = (await readUsageRecords(gateway)).slice(before)
    expect(records).toHaveLength(2)
    expect(records.find(({ tokens_in }) => tokens_in === 70)).toMatchObject({
      ...{ model: "writer", tokens_out: 30, outcome: "ok", operation: "chat/completions" },
      user_id: records[0]?.user_id,
    })
  })

  it("asks the administrators' model, also for people who may not choose it", async () => {
    await change({ query_rewriting_model: "other" })
    const limits = { name: "restricted", allowed_models: ["writer"] }
    const created = await gateway.call("POST", "/api/v1/auths/api_keys", limits)
    const json = { model: "writer", messages: conversation("And the number?"), files: files() }
    const { status } = await gateway.call("POST", "/v1/chat/completions", json, {
      key: created.body.api_key,
    })
    expect(status).toBe(200)
    expect(rewritings().at(-1)?.json).toMatchObject({ model: "other" })
  })

  it("rewrites for a model with an attached collection, without its system prompt", async () => {
    const model = {
      ...{ id: "sailor", name: "Sailor", base_model_id: "writer" },
      meta: { description: "", tags: [], knowledge: [{ id: collection }] },
      params: { system: "Speak like a pirate.", top_p: 0.5 },
    }
    expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
    const count = upstream.requests.length
    const { body } = await chat({ model: "sailor", messages: conversation("Its number, please?") })
    expect(JSON.stringify(body.sources)).toContain("TILLERS-197")
    const sent = upstream.requests.slice(count)
    expect(sent).toHaveLength(2)
    expect(sent[0]?.json).toMatchObject({ model: "writer", top_p: 0.5 })
    expect(sent[0]?.body.toString()).not.toContain("pirate")
    expect(sent[1]?.body.toString()).toContain("pirate")
  })

  it("ends the rewriting when the client disconnects", async () => {
    await change({ query_rewriting_timeout_ms: 30_000 })
    respond = () => ({ ...whole(rewritten), startDelayMs: 25_000 })
    const count = rewritings().length
    const controller = new AbortController()
    const json = { model: "writer", messages: conversation("Number?"), files: files() }
    const request = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body: JSON.stringify(json),
      signal: controller.signal,
    })
    await expect.poll(() => rewritings().length).toBe(count + 1)
    controller.abort()
    await expect(request).rejects.toThrow()
    await rewritings().at(-1)?.aborted
  })
})

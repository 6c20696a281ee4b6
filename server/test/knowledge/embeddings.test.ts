import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload, uploadAndEmbed } from "./collections.ts"

describe.each(chooseDatabases())("embeddings on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let upstream: FakeOpenAI

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI({ dimensions: 384 })
    const env = { OPENAI_API_BASE_URLS: upstream.url, MODEL_REFRESH_INTERVAL: "500ms" }
    const options = { embeddingRetryMs: 20, questionTimeoutMs: 1000, jobRetryMs: 1 }
    gateway = await startGateway({ ...database.env, ...env }, options)
    await waitForModels(gateway, ["embed-fake"])
    const indexes = gateway.gateway.db.read.selectFrom("vector_spaces").selectAll()
    await waitFor(async () => (await indexes.execute()).length === 1)
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  /** Every text sent for embedding, passages and questions alike. */
  const embeddedTexts = (): string[] =>
    upstream.requests
      .filter(({ path }) => path.endsWith("/embeddings"))
      .flatMap(({ body }) => JSON.parse(body.toString()).input)

  /** Makes the gateway reconcile its indexes, as it does every 30 seconds. */
  const changeSettings = async (): Promise<void> => {
    const change = { jwt_expires_in: 7200 }
    expect((await gateway.call("POST", "/api/v1/settings", change)).status).toBe(200)
  }

  const generateStory = (topic: string, paragraphs: number): string =>
    Array.from(
      { length: paragraphs },
      (_, n) =>
        `Paragraph ${n} on ${topic}. ${`The ${topic} number ${n} is worth telling. `.repeat(20)}`,
    ).join("\n\n")

  it("embeds each passage once, and identical files not at all", async () => {
    const text = generateStory("otter", 12)
    const one = await uploadAndEmbed(gateway, "otters.txt", text)
    expect(one.data).toMatchObject({ status: "completed", error: null })
    const { passages, embedded } = one.data.progress
    expect(passages).toBeGreaterThan(5)
    expect(embedded).toBe(passages)
    const before = embeddedTexts()
    expect(before.length).toBe(passages)
    expect(new Set(before).size).toBe(before.length)
    const two = await uploadAndEmbed(gateway, "copy-of-otters.txt", text)
    expect(two.data.progress.embedded).toBe(passages)
    expect(embeddedTexts()).toHaveLength(before.length)
  })

  it("reports the lexical and dense rank of each passage, depending on the search mode", async () => {
    const text = "A quick brown fox jumps over the lazy dog."
    const file = await uploadAndEmbed(gateway, "foxes.txt", text)
    const id = await createCollection(gateway, "Foxes", [file.id])
    const searchRequest = { query: "quick brown fox" }
    const { body } = await gateway.call("POST", `/api/v1/knowledge/${id}/query`, searchRequest)
    expect(body).toMatchObject({ search: "hybrid", embedding_model: "embed-fake", note: null })
    expect(body.passages[0]).toMatchObject({ lexical: { rank: 1 }, dense: { rank: 1 }, used: true })
    await gateway.call("POST", `/api/v1/knowledge/${id}/update`, { search: "dense" })
    const dense = (await gateway.call("POST", `/api/v1/knowledge/${id}/query`, searchRequest)).body
    expect(dense).toMatchObject({ search: "dense", passages: [{ lexical: null }] })
    await gateway.call("POST", `/api/v1/knowledge/${id}/update`, { search: "lexical" })
    const lexical = (await gateway.call("POST", `/api/v1/knowledge/${id}/query`, searchRequest))
      .body
    expect(lexical).toMatchObject({ search: "lexical", note: null, passages: [{ dense: null }] })
  })

  it("completes a file despite five 429 replies and a dropped connection, embedding nothing twice", async () => {
    const before = embeddedTexts().length
    const text = generateStory("badger", 60)
    upstream.injectFault({ kind: "status", status: 429 }, { on: /embeddings/, times: 5 })
    upstream.injectFault({ kind: "reset" }, { on: /embeddings/, times: 1 })
    const { body } = await upload(gateway, "badgers.txt", text)
    await vi.waitFor(
      async () => {
        const file = (await gateway.call("GET", `/api/v1/files/${body.id}`)).body
        expect(file.data).toMatchObject({ status: "completed", error: null })
        expect(file.data.progress.embedded).toBe(file.data.progress.passages)
      },
      { timeout: 30_000, interval: 200 },
    )
    const sentTexts = embeddedTexts().slice(before)
    const firstBatch = sentTexts.slice(0, 32)
    // Only the first batch was sent again after each of the six failures.
    const counts = Map.groupBy(sentTexts, (sent) => sent)
    const repeated = [...counts].filter(([, times]) => times.length > 1).map(([sent]) => sent)
    expect(repeated.every((sent) => firstBatch.includes(sent))).toBe(true)
    upstream.clearFaults()
  }, 40_000)

  it("warns while a file cannot be embedded, and no longer once it is", async () => {
    upstream.injectFault({ kind: "status", status: 400 }, { on: /embeddings/, times: 12 })
    const file = await uploadAndEmbed(gateway, "toads.txt", "Toads sit under stones.")
    expect(file.data).toMatchObject({
      ...{ status: "completed", error: null, embedding: "failed" },
      warnings: [{ code: "not_embedded", reference: { id: "file_not_embedded" } }],
    })
    upstream.clearFaults()
    await gateway.call("POST", `/api/v1/files/${file.id}/process`)
    const state = async () => (await gateway.call("GET", `/api/v1/files/${file.id}`)).body.data
    await expect.poll(state, { timeout: 45_000 }).toMatchObject({ embedding: null, warnings: [] })
    expect((await state()).progress.embedded).toBe(1)
  }, 60_000)

  it("copies no embeddings from a file whose passages are other ones", async () => {
    const text = "Lizards warm up on walls."
    const one = await uploadAndEmbed(gateway, "lizards.txt", text)
    const { db } = gateway.gateway
    await db.transact(async (tx) => {
      const changed = { text: "Lizards warm up." }
      await tx.updateTable("passages").set(changed).where("file_id", "=", one.id).execute()
    })
    const two = await uploadAndEmbed(gateway, "walls.txt", text)
    // Files whose embedding job has not ended yet would be left out when indexes are reconciled.
    const jobs = db.read.selectFrom("jobs").select("id").where("target", "like", `% ${two.id}`)
    await expect.poll(() => jobs.execute()).toEqual([])
    // As after a reading that had another result: its own vectors are missing.
    await db.transact(async (tx) => {
      const own = tx.updateTable("passages").set({ text }).where("file_id", "=", two.id)
      await own.execute()
      await tx.deleteFrom("vector_batches").where("file_id", "=", two.id).execute()
    })
    const before = embeddedTexts().length
    await changeSettings()
    await expect.poll(() => embeddedTexts().slice(before)).toEqual([text])
  })

  it("goes on counting the attempts of a file when indexes are reconciled", async () => {
    upstream.injectFault({ kind: "status", status: 400 }, { on: /embeddings/, times: 100 })
    const { body: file } = await upload(gateway, "frogs.txt", "Frogs jump into the pond.")
    const { db } = gateway.gateway
    const jobs = db.read.selectFrom("jobs").select(["attempts", "run_at", "revision"])
    const job = () => jobs.where("target", "like", `% ${file.id}`).executeTakeFirst()
    await expect.poll(async () => (await job())?.attempts).toBeGreaterThan(0)
    const postponed = { run_at: Date.now() + 60_000, attempts: 7 }
    await db.transact(async (tx) => {
      const waiting = tx.updateTable("jobs").set(postponed).set("revision", 1000)
      await waiting.where("target", "like", `% ${file.id}`).execute()
    })
    await changeSettings()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await job()).toMatchObject({ attempts: 7, revision: 1000 })
    upstream.clearFaults()
    await gateway.call("DELETE", `/api/v1/files/${file.id}`)
  })

  it("finds a file lexically while its embeddings are pending", async () => {
    upstream.injectFault({ kind: "hang" }, { on: /embeddings/, times: 2 })
    const file = await upload(gateway, "hedgehogs.txt", "Hedgehogs hibernate in heaps of leaves.")
    const id = await createCollection(gateway, "Hedgehogs", [file.body.id])
    const { body, status } = await gateway.call("POST", "/v1/chat/completions", {
      model: "gpt-fake",
      messages: [{ role: "user", content: "Where do hedgehogs hibernate?" }],
      files: [{ type: "collection", id }],
    })
    expect(status).toBe(200)
    expect(body.sources[0].document[0]).toContain("heaps of leaves")
    upstream.clearFaults()
  }, 40_000)

  it("switches to another model without failed queries or mixed results", async () => {
    const id = await createCollection(gateway, "Change")
    const file = await uploadAndEmbed(gateway, "voles.txt", generateStory("vole", 4))
    await gateway.gateway.db.transact(async (tx) => {
      const failed = { embedding: "failed" }
      await tx.updateTable("files").set(failed).where("id", "=", file.id).execute()
    })
    await gateway.call("POST", `/api/v1/knowledge/${id}/file/add`, { file_id: file.id })
    const seenModels = new Set<string>()
    let isQuerying = true
    const questions = (async () => {
      while (isQuerying) {
        const { status, body } = await gateway.call("POST", `/api/v1/knowledge/${id}/query`, {
          query: "vole number 2",
        })
        expect(status).toBe(200)
        expect(body.passages.length).toBeGreaterThan(0)
        seenModels.add(body.embedding_model ?? "none")
      }
    })()
    upstream.models.splice(
      upstream.models.findIndex((model) => model.id === "embed-fake"),
      1,
      createOpenAIModel("other-embed-fake"),
    )
    await vi.waitFor(
      async () => {
        const indexes = await gateway.gateway.db.read
          .selectFrom("vector_spaces")
          .selectAll()
          .execute()
        expect(indexes).toMatchObject([{ model: "other-embed-fake", state: "active" }])
      },
      { timeout: 30_000, interval: 300 },
    )
    await expect.poll(() => [...seenModels]).toContain("other-embed-fake")
    isQuerying = false
    await questions
    const state = async () => (await gateway.call("GET", `/api/v1/files/${file.id}`)).body.data
    await expect.poll(state).toMatchObject({ embedding: null, warnings: [] })
    const { progress } = await state()
    expect(progress.embedded).toBe(progress.passages)
  }, 60_000)

  it("completes a file as soon as it is found lexically, however slow the model is", async () => {
    upstream.injectFault({ kind: "hang" }, { on: /embeddings/, times: 1 })
    const query = "?process_in_background=false"
    const { body: file } = await upload(gateway, "newts.txt", "Newts live in ponds.", { query })
    expect(file.data).toMatchObject({
      status: "completed",
      embedding: "pending",
      progress: { passages: 1, embedded: 0 },
    })
    const stream = `/api/v1/files/${file.id}/process/status?stream=true`
    expect((await gateway.call("GET", stream)).body).toContain('"status":"completed"')
    const { body: listed } = await gateway.call("GET", "/api/v1/files?status=completed&query=newts")
    expect(listed.items[0].data.embedding).toBe("pending")
    const id = await createCollection(gateway, "Newts", [file.id])
    const search = `/api/v1/knowledge/${id}/query`
    const { body: found } = await gateway.call("POST", search, { query: "newts" })
    expect(found.passages[0].text).toBe("Newts live in ponds.")
    expect(found.partly_embedded).toBe(1)
    upstream.clearFaults()
  }, 40_000)
})

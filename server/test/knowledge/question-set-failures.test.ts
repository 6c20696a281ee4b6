import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { createCollection, uploadAndEmbed } from "./collections.ts"
import {
  handbook,
  leave,
  type QuestionSetGateway,
  startQuestionSetGateway,
} from "./question-set-gateway.ts"

vi.setConfig({ testTimeout: 60_000 })

/** What the rerank endpoint does not answer. */
let refused = /^$/
const rerankServer = createServer(async (request, response) => {
  const { query = "", documents = [] }: { query?: string; documents?: string[] } = Object(
    await json(request),
  )
  const results = documents.map((_, index) => ({ index, relevance_score: -index }))
  response.writeHead(refused.test(query) ? 503 : 200, { "content-type": "application/json" })
  response.end(JSON.stringify({ results }))
})

describe.each(chooseDatabases())("question sets with a reranker on $name", (database) => {
  let sets: QuestionSetGateway

  beforeAll(async () => {
    const port = await listenOnLoopback(rerankServer)
    const env = { RERANK_URL: `http://127.0.0.1:${port}/v1`, RERANK_MODEL: "ranker" }
    sets = await startQuestionSetGateway(database.createDatabase, env, {
      questionMaxWaitMs: 3000,
      jobRetryMs: 1,
    })
  })
  afterAll(async () => {
    await sets.gateway.stop()
    rerankServer.close()
  })

  it("judges a question that finds nothing at all", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.call("POST", `${id}/update`, { search: "lexical" })
    await sets.addQuestion(id, { file_id: fileId, question: "Qwzx?" })
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    const { counts, error } = await sets.waitForRun(id, "questions")
    expect(counts).toMatchObject({ reached: 1, missed: 1, undecided: 0 })
    expect(error).toBeNull()
  })

  it("leaves undecided a question for which the search keeps failing", async () => {
    const { id, fileId } = await sets.newCollection()
    const bad = "How many days of annual leave does poison get?"
    await sets.addQuestion(id, { file_id: fileId, quotation: leave, question: bad })
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    refused = /poison/
    await sets.call("POST", `${id}/questions/run`)
    const { counts, runs, error } = await sets.waitForRun(id, "requested")
    expect(counts).toMatchObject({ reached: 1, lost: 0, undecided: 1 })
    expect(runs[0]).toMatchObject({ outcome: "incomplete", error: "reranker", reached: 1 })
    expect(error).toBe("reranker")
    const [undecided] = await sets.questionsOf(id)
    expect(undecided).toMatchObject({ state: "undecided", result: { reason: "error" } })
    refused = /^$/
    await sets.call("POST", `${id}/questions/run`)
    await expect.poll(async () => (await sets.statusOf(id)).counts.reached).toBe(2)
    expect((await sets.statusOf(id)).error).toBeNull()
  })

  it("keeps a run for which the search failed, and the results before it", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    refused = /./
    await sets.call("POST", `${id}/questions/run`)
    const { counts, runs, error } = await sets.waitForRun(id, "requested")
    expect(runs).toMatchObject([{ outcome: "failed", error: "reranker" }, { outcome: "complete" }])
    expect(counts).toMatchObject({ reached: 1, lost: 0, undecided: 0 })
    expect(error).toBe("reranker")
    refused = /^$/
    await sets.call("POST", `${id}/questions/run`)
    await expect
      .poll(async () =>
        (await sets.statusOf(id)).runs.map((run: { outcome: string }) => run.outcome),
      )
      .toEqual(["complete"])
  })

  it("runs without files that are not ready for a long time, and again when they are", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    const other = await uploadAndEmbed(sets.gateway, "other.txt", `Stuck file of ${id}.`)
    const { db } = sets.gateway.gateway
    const set = (status: string) =>
      db.transact(async (tx) => {
        await tx.updateTable("files").set({ status }).where("id", "=", other.id).execute()
      })
    await set("processing")
    await sets.call("POST", `${id}/file/add`, { file_id: other.id })
    await expect
      .poll(async () => (await sets.statusOf(id)).runs[0], { timeout: 20_000 })
      .toMatchObject({ outcome: "incomplete", reached: 1, reason: "files" })
    await set("completed")
    await sets.call("POST", `${id}/update`, { name: "Ready" })
    await expect
      .poll(async () => (await sets.statusOf(id)).runs[0], { timeout: 20_000 })
      .toMatchObject({ outcome: "complete", reached: 1 })
  })

  it("imports a full set of long questions as it was exported", async () => {
    const { id } = await sets.newCollection()
    const questions = Array.from({ length: 500 }, (_, at) => ({
      ...{ question: `Question ${at}?`, previous: "", filename: "handbook.md", note: "" },
      quotation: "ä".repeat(4900),
    }))
    const imported = await sets.call("POST", `${id}/questions/import`, { questions })
    expect(imported.status).toBe(200)
    const exported = await sets.call("GET", `${id}/questions/export`)
    expect(exported.body).toEqual({ questions })
    const target = await createCollection(sets.gateway, "Copy", [])
    const copied = await sets.call("POST", `${target}/questions/import`, exported.body)
    expect(copied.body.created).toHaveLength(500)
    for (const one of [id, target])
      expect((await sets.call("DELETE", `${one}/delete`)).status).toBe(200)
  })
})

/** As an embedding model of another connection, which this process cannot reach. */
const replaceModel = (sets: QuestionSetGateway, model: string) =>
  sets.gateway.gateway.db.transact(async (tx) => {
    await tx.deleteFrom("vector_spaces").execute()
    const index = { id: model, model, state: "active", dimensions: null, created_at: 1 }
    await tx.insertInto("vector_spaces").values(index).execute()
  })

describe("question sets whose embedding model is away", () => {
  it("start no run, and keep their results", async () => {
    const [database] = chooseDatabases()
    if (!database) return
    const sets = await startQuestionSetGateway(database.createDatabase, {}, { jobRetryMs: 1 })
    const { id: fileId } = await uploadAndEmbed(sets.gateway, "handbook.md", handbook)
    const id = await createCollection(sets.gateway, "Work", [fileId, sets.rulesId])
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    await replaceModel(sets, "gone-embedding")
    await sets.call("POST", `${id}/update`, { name: "Renamed" })
    await expect
      .poll(() => sets.statusOf(id))
      .toMatchObject({ status: "waiting", error: "embedding_model" })
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const { counts, runs } = await sets.statusOf(id)
    expect(counts).toMatchObject({ reached: 1, lost: 0, undecided: 0 })
    expect(runs).toHaveLength(1)
    await sets.gateway.stop()
  })
})

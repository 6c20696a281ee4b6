import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { createCollection, upload, uploadAndEmbed } from "./collections.ts"
import {
  handbook,
  leave,
  type QuestionSetGateway,
  startQuestionSetGateway,
} from "./question-set-gateway.ts"

vi.setConfig({ testTimeout: 60_000 })

const wait = { query: "?process_in_background=false" }

describe.each(chooseDatabases())("runs of question sets on $name", ({ createDatabase }) => {
  let sets: QuestionSetGateway

  beforeAll(async () => {
    sets = await startQuestionSetGateway(createDatabase)
  })
  afterAll(() => sets.gateway.stop())

  it("judges a new question, with its rank, and finds its passage in the text", async () => {
    const { id, fileId } = await sets.newCollection()
    const added = await sets.addQuestion(id, {
      file_id: fileId,
      quotation: leave,
      note: "Section 1",
    })
    expect(added).toMatchObject({ state: "unjudged", filename: "handbook.md", result: null })
    const { runs, counts } = await sets.waitForRun(id, "questions")
    expect(counts).toEqual({ unjudged: 0, reached: 1, lost: 0, missed: 0, undecided: 0 })
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ total: 1, reached: 1, lost: 0, search: "hybrid" })
    expect(runs[0]).toMatchObject({ embedding_model: null, token_budget: 4000, mean_rank: 1 })
    const [judged] = await sets.questionsOf(id)
    expect(judged).toMatchObject({ id: added.id, state: "reached", note: "Section 1" })
    const start = handbook.indexOf(leave)
    expect(judged.result).toMatchObject({ reached: true, rank: 1, reason: null, start })
  })

  it("says which passage is not found although its file is", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, {
      question: "Which pension do retired teachers receive?",
      file_id: sets.rulesId,
      quotation: "The committee of ward 59 meets in hall 59.",
    })
    await sets.addQuestion(id, {
      file_id: fileId,
      quotation: "Employees may bring their own penguin.",
    })
    const { counts } = await sets.waitForRun(id, "questions")
    expect(counts).toMatchObject({ missed: 2 })
    const results = (await sets.questionsOf(id)).map(({ result }: { result: object }) => result)
    expect(results).toMatchObject([{ reason: "rank" }, { reason: "passage_gone" }])
  })

  it("reaches the model as another copy of the file, of which only one is sent", async () => {
    const same = "The canteen opens at noon."
    const files = await Promise.all(
      ["a.txt", "b.txt"].map((name) => uploadAndEmbed(sets.gateway, name, same)),
    )
    const ids = files.map((file) => file.id)
    const id = await createCollection(sets.gateway, "Copies", ids)
    for (const file_id of ids) await sets.addQuestion(id, { file_id, quotation: same })
    expect((await sets.waitForRun(id, "questions")).counts).toMatchObject({ reached: 2 })
  })

  it("turns red when the file is removed, and green when another version replaces it", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    await sets.call("POST", `${id}/file/remove`, { file_id: fileId })
    const removed = await sets.waitForRun(id, "files")
    expect(removed.counts).toMatchObject({ lost: 1 })
    expect(removed.runs.map(({ lost }: { lost: number }) => lost)).toEqual([1, 0])
    expect((await sets.questionsOf(id))[0]).toMatchObject({
      state: "lost",
      result: { reached: false, reason: "file_gone" },
      result_before: { reached: true },
    })
    expect((await sets.call("GET", id)).body.lost_questions).toBe(1)
    const list = (await sets.call("GET", "?page_size=200")).body.items
    const listed = list.find((one: { id: string }) => one.id === id)
    expect(listed.lost_questions).toBe(1)

    const other = await uploadAndEmbed(sets.gateway, "handbook.md", `# New\n\n${leave}\n`)
    await sets.call("POST", `${id}/file/add`, { file_id: other.id })
    await expect
      .poll(async () => (await sets.questionsOf(id))[0].state, { timeout: 15_000 })
      .toBe("reached")
    expect((await sets.questionsOf(id))[0]).toMatchObject({ file_id: other.id })
    expect((await sets.call("GET", id)).body.lost_questions).toBe(0)
  })

  it("notices a deleted file that no question expects", async () => {
    const { id, fileId } = await sets.newCollection()
    const { id: extra } = await uploadAndEmbed(sets.gateway, "extra.txt", "Nothing of note.")
    await sets.call("POST", `${id}/file/add`, { file_id: extra })
    await sets.addQuestion(id, { file_id: fileId })
    await sets.waitForRun(id, "questions")
    await sets.gateway.call("DELETE", `/api/v1/files/${extra}`)
    await sets.waitForRun(id, "files")
  })

  it("turns red when the passage is gone from a new version of the text", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    await sets.call("POST", `${id}/file/remove`, { file_id: fileId })
    const changed = await uploadAndEmbed(
      sets.gateway,
      "handbook.md",
      "# Handbook\n\nAsk your manager.",
    )
    await sets.call("POST", `${id}/file/add`, { file_id: changed.id })
    await sets.waitForRun(id, "files")
    await expect
      .poll(async () => (await sets.questionsOf(id))[0].result.reason, { timeout: 15_000 })
      .toBe("passage_gone")
    expect((await sets.questionsOf(id))[0].state).toBe("lost")
  })

  it("runs again when the search mode or the token budget changes", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    await sets.call("POST", `${id}/update`, { search: "lexical" })
    const { runs } = await sets.waitForRun(id, "settings")
    expect(runs.map(({ search }: { search: string }) => search)).toEqual(["lexical", "hybrid"])
    await sets.gateway.call("POST", "/api/v1/settings", { rag_token_budget: 1000 })
    await expect
      .poll(async () => (await sets.statusOf(id)).runs[0].token_budget, { timeout: 15_000 })
      .toBe(1000)
    await sets.gateway.call("POST", "/api/v1/settings", { rag_token_budget: 4000 })
  })

  it("runs once for many changes, and not for others", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId })
    await sets.waitForRun(id, "questions")
    const added = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        upload(sets.gateway, `note${at}.txt`, `Note ${at} of the council.`, wait),
      ),
    )
    await Promise.all(
      added.map(({ body }) => sets.call("POST", `${id}/file/add`, { file_id: body.id })),
    )
    const { runs } = await sets.waitForRun(id, "files")
    expect(runs).toHaveLength(2)
    await sets.call("POST", `${id}/update`, { name: "Renamed" })
    await sets.gateway.call("POST", "/api/v1/settings", { banner: "" })
    await sets.call("POST", `${id}/questions/run`)
    const repeated = await sets.waitForRun(id, "requested")
    expect(repeated.runs).toHaveLength(2)
  })

  it("deletes the results of a question that is changed, but not of one with another note", async () => {
    const { id, fileId } = await sets.newCollection()
    const { id: questionId } = await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    const path = `${id}/questions/${questionId}/update`
    expect((await sets.call("POST", path, { note: "Ask HR" })).body).toMatchObject({
      state: "reached",
      note: "Ask HR",
    })
    const { body } = await sets.call("POST", path, { question: "Who gets thirty days of leave?" })
    expect(body).toMatchObject({ state: "unjudged", result: null, quotation: leave })
    await expect
      .poll(async () => (await sets.questionsOf(id))[0].state, { timeout: 15_000 })
      .toBe("reached")
    expect((await sets.call("DELETE", `${id}/questions/${questionId}`)).status).toBe(200)
    expect((await sets.call("DELETE", `${id}/questions/${questionId}`)).status).toBe(404)
    expect(await sets.questionsOf(id)).toEqual([])
    expect((await sets.call("POST", `${id}/questions/run`)).status).toBe(409)
  })

  it("waits for files that are being processed", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    const { db } = sets.gateway.gateway
    const set = (status: string) =>
      db.transact(async (tx) => {
        await tx.updateTable("files").set({ status }).where("id", "=", fileId).execute()
      })
    await set("processing")
    const { body } = await sets.call("POST", `${id}/questions/run`)
    expect(body).toMatchObject({ status: "waiting", total: 1 })
    await sets.waitForEnd(id)
    expect(await sets.statusOf(id)).toMatchObject({ status: "waiting" })
    await sets.gateway.call("POST", `/api/v1/files/${fileId}/process`)
    await sets.waitForRun(id, "requested")
  })

  it("starts one run for several requests", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId })
    const all = await Promise.all([1, 2, 3].map(() => sets.call("POST", `${id}/questions/run`)))
    for (const { status } of all) expect(status).toBe(200)
    const { runs } = await sets.waitForRun(id, "requested")
    expect(runs).toHaveLength(1)
  })

  it("deletes the questions with their collection", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId })
    expect((await sets.call("DELETE", `${id}/delete`)).status).toBe(200)
    expect((await sets.call("GET", `${id}/questions`)).status).toBe(404)
    const { db } = sets.gateway.gateway
    const left = db.read.selectFrom("collection_questions").select("id")
    expect(await left.where("collection_id", "=", id).execute()).toEqual([])
  })
})

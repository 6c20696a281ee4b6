import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload, uploadAndEmbed } from "./collections.ts"

vi.setConfig({ testTimeout: 60_000 })

/** So many passages that no collection fits into the context budget. */
const rules = Array.from(
  { length: 60 },
  (_, at) => `## Rule ${at}\n\n${`The committee of ward ${at} meets in hall ${at}. `.repeat(18)}`,
).join("\n\n")
const leave = "Employees get 28 days of annual leave, and 30 days after ten years of service."
const handbook = `# Handbook\n\n${leave}\n`
const question = "How many days of annual leave do employees get?"

const quickRuns = {
  ...{ questionCheckMs: 50, questionDelayMs: 300, questionEditDelayMs: 100, jobPollMs: 50 },
}

describe.each(chooseDatabases())("question sets on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let rulesId: string

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, {}, quickRuns)
    rulesId = (await uploadAndEmbed(gateway, "rules.md", rules)).id
  })
  afterAll(() => gateway.stop())

  const call = async (method: string, path: string, body?: unknown, key = gateway.key) =>
    gateway.call(method, `/api/v1/knowledge/${path}`, body, { key })

  const newCollection = async (text = handbook, name = "handbook.md") => {
    const { id: fileId } = await uploadAndEmbed(gateway, name, text)
    return { id: await createCollection(gateway, "Work", [fileId, rulesId]), fileId }
  }
  const addQuestion = async (id: string, fields: object) => {
    const { status, body } = await call("POST", `${id}/questions`, { question, ...fields })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const statusOf = async (id: string) => (await call("GET", `${id}/questions/runs`)).body
  const questionsOf = async (id: string) => (await call("GET", `${id}/questions`)).body.items
  /** Resolves with the status once no run is due and the latest one has the reason. */
  const waitForRun = async (id: string, reason: string) => {
    await expect
      .poll(
        async () => {
          const { status, runs } = await statusOf(id)
          return [status, runs[0]?.reason]
        },
        { timeout: 15_000 },
      )
      .toEqual(["idle", reason])
    return statusOf(id)
  }

  /** Resolves once the collection has no job. */
  const waitForEnd = async (id: string): Promise<void> => {
    const { db } = gateway.gateway
    const jobs = () => db.read.selectFrom("jobs").select("id").where("target", "=", id).execute()
    await expect.poll(jobs).toEqual([])
  }

  it("judges a new question, with its rank, and finds its passage in the text", async () => {
    const { id, fileId } = await newCollection()
    const added = await addQuestion(id, { file_id: fileId, quotation: leave, note: "Section 1" })
    expect(added).toMatchObject({ state: "waiting", filename: "handbook.md", result: null })
    const { runs, counts } = await waitForRun(id, "questions")
    expect(counts).toEqual({ waiting: 0, reached: 1, worse: 0, missed: 0 })
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ total: 1, reached: 1, worse: 0, search: "hybrid" })
    expect(runs[0]).toMatchObject({ embedding_model: null, token_budget: 4000, mean_rank: 1 })
    const [judged] = await questionsOf(id)
    expect(judged).toMatchObject({ id: added.id, state: "reached", note: "Section 1" })
    const start = handbook.indexOf(leave)
    expect(judged.result).toMatchObject({ reached: true, rank: 1, reason: null, start })
  })

  it("says which passage is not found although its file is", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, {
      question: "Which pension do retired teachers receive?",
      file_id: rulesId,
      quotation: "The committee of ward 59 meets in hall 59.",
    })
    await addQuestion(id, { file_id: fileId, quotation: "Employees may bring their own penguin." })
    const { counts } = await waitForRun(id, "questions")
    expect(counts).toMatchObject({ missed: 2 })
    const results = (await questionsOf(id)).map(({ result }: { result: object }) => result)
    expect(results).toMatchObject([{ reason: "rank" }, { reason: "passage_gone" }])
  })

  it("turns red when the file is removed, and green when another version replaces it", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId, quotation: leave })
    await waitForRun(id, "questions")
    await call("POST", `${id}/file/remove`, { file_id: fileId })
    const removed = await waitForRun(id, "files")
    expect(removed.counts).toMatchObject({ worse: 1 })
    expect(removed.runs.map(({ worse }: { worse: number }) => worse)).toEqual([1, 0])
    expect((await questionsOf(id))[0]).toMatchObject({
      state: "worse",
      result: { reached: false, reason: "file_gone" },
      earlier_result: { reached: true },
    })
    expect((await call("GET", id)).body.worse_questions).toBe(1)
    const list = (await call("GET", "?page_size=200")).body.items
    const listed = list.find((one: { id: string }) => one.id === id)
    expect(listed.worse_questions).toBe(1)

    const other = await uploadAndEmbed(gateway, "handbook.md", `# New\n\n${leave}\n`)
    await call("POST", `${id}/file/add`, { file_id: other.id })
    await expect
      .poll(async () => (await questionsOf(id))[0].state, { timeout: 15_000 })
      .toBe("reached")
    expect((await call("GET", id)).body.worse_questions).toBe(0)
  })

  it("notices a deleted file that no question expects", async () => {
    const { id, fileId } = await newCollection()
    const { id: extra } = await uploadAndEmbed(gateway, "extra.txt", "Nothing of note.")
    await call("POST", `${id}/file/add`, { file_id: extra })
    await addQuestion(id, { file_id: fileId })
    await waitForRun(id, "questions")
    await gateway.call("DELETE", `/api/v1/files/${extra}`)
    await waitForRun(id, "files")
  })

  it("turns red when the passage is gone from a new version of the text", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId, quotation: leave })
    await waitForRun(id, "questions")
    await call("POST", `${id}/file/remove`, { file_id: fileId })
    const changed = await uploadAndEmbed(gateway, "handbook.md", "# Handbook\n\nAsk your manager.")
    await call("POST", `${id}/file/add`, { file_id: changed.id })
    await waitForRun(id, "files")
    await expect
      .poll(async () => (await questionsOf(id))[0].result.reason, { timeout: 15_000 })
      .toBe("passage_gone")
    expect((await questionsOf(id))[0].state).toBe("worse")
  })

  it("runs again when the search mode or the token budget changes", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId, quotation: leave })
    await waitForRun(id, "questions")
    await call("POST", `${id}/update`, { search: "lexical" })
    const { runs } = await waitForRun(id, "settings")
    expect(runs.map(({ search }: { search: string }) => search)).toEqual(["lexical", "hybrid"])
    await gateway.call("POST", "/api/v1/settings", { rag_token_budget: 5000 })
    await expect
      .poll(async () => (await statusOf(id)).runs[0].token_budget, { timeout: 15_000 })
      .toBe(5000)
    await gateway.call("POST", "/api/v1/settings", { rag_token_budget: 4000 })
  })

  it("runs once for many changes, and not for others", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId })
    await waitForRun(id, "questions")
    for (let at = 0; at < 10; at++) {
      const { body } = await upload(gateway, `note${at}.txt`, `Note ${at} of the council.`)
      await call("POST", `${id}/file/add`, { file_id: body.id })
    }
    const { runs } = await waitForRun(id, "files")
    expect(runs).toHaveLength(2)
    await call("POST", `${id}/update`, { name: "Renamed" })
    await gateway.call("POST", "/api/v1/settings", { banner: "" })
    await call("POST", `${id}/questions/run`)
    const again = await waitForRun(id, "requested")
    expect(again.runs).toHaveLength(2)
  })

  it("deletes the results of a question that is changed, but not of one with another note", async () => {
    const { id, fileId } = await newCollection()
    const { id: questionId } = await addQuestion(id, { file_id: fileId, quotation: leave })
    await waitForRun(id, "questions")
    const path = `${id}/questions/${questionId}/update`
    expect((await call("POST", path, { note: "Ask HR" })).body).toMatchObject({
      state: "reached",
      note: "Ask HR",
    })
    const { body } = await call("POST", path, { question: "Who gets thirty days of leave?" })
    expect(body).toMatchObject({ state: "waiting", result: null, quotation: leave })
    await expect
      .poll(async () => (await questionsOf(id))[0].state, { timeout: 15_000 })
      .toBe("reached")
    expect((await call("DELETE", `${id}/questions/${questionId}`)).status).toBe(200)
    expect((await call("DELETE", `${id}/questions/${questionId}`)).status).toBe(404)
    expect(await questionsOf(id)).toEqual([])
    expect((await call("POST", `${id}/questions/run`)).status).toBe(409)
  })

  it("lists questions by state and text, page by page", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId, question: "Größe des Büros?" })
    await addQuestion(id, { file_id: fileId, quotation: leave })
    await waitForRun(id, "questions")
    const find = async (query: string) => (await call("GET", `${id}/questions?${query}`)).body
    expect((await find("query=GR%C3%96%C3%9FE")).total).toBe(1)
    expect((await find("query=annual")).items).toMatchObject([{ question }])
    expect((await find("page_size=1&page=2")).items).toMatchObject([{ question }])
    expect((await find("state=worse")).total).toBe(0)
  })

  it("lets readers read, writers change, and nobody else know", async () => {
    const { id, fileId } = await newCollection()
    const reader = await gateway.createUser(`Reader${id.slice(-6)}`)
    const writer = await gateway.createUser(`Writer${id.slice(-6)}`)
    const stranger = await gateway.createUser(`Stranger${id.slice(-6)}`)
    const grant = (principal_id: string, permission: string) => ({
      ...{ principal_type: "user", principal_id, permission },
    })
    const access_grants = [grant(reader.id, "read"), grant(writer.id, "write")]
    await call("POST", `${id}/update`, { access_grants })
    const fields = { question, file_id: fileId }
    const added = await call("POST", `${id}/questions`, fields, writer.key)
    expect(added.status).toBe(200)
    const one = `${id}/questions/${added.body.id}`
    const changes: [string, string, unknown][] = [
      ["POST", `${id}/questions`, fields],
      ["POST", `${one}/update`, { note: "x" }],
      ["DELETE", one, undefined],
      ["POST", `${id}/questions/run`, undefined],
      ["POST", `${id}/questions/import`, { questions: [{ question, filename: "a" }] }],
    ]
    for (const [method, path, body] of changes) {
      expect((await call(method, path, body, reader.key)).status, path).toBe(403)
      expect((await call(method, path, body, stranger.key)).status, path).toBe(404)
    }
    for (const path of ["questions", "questions/runs", "questions/export"]) {
      expect((await call("GET", `${id}/${path}`, undefined, reader.key)).status).toBe(200)
      expect((await call("GET", `${id}/${path}`, undefined, stranger.key)).status).toBe(404)
    }
    expect((await call("POST", `${id}/questions/run`, undefined, writer.key)).status).toBe(200)
  })

  it("exports what it imports, and updates known questions", async () => {
    const { id } = await newCollection()
    const set = {
      questions: [
        { question, previous: "", filename: "handbook.md", quotation: leave, note: "" },
        { question: "Who?", previous: "When?", filename: "gone.md", quotation: "", note: "N" },
      ],
    }
    const { body } = await call("POST", `${id}/questions/import`, set)
    expect(body).toMatchObject({ updated: [], unknown_files: ["gone.md"] })
    expect(body.created).toHaveLength(2)
    expect((await call("GET", `${id}/questions/export`)).body).toEqual(set)
    await waitForRun(id, "questions")
    expect((await questionsOf(id)).map(({ state }: { state: string }) => state)).toEqual([
      "reached",
      "missed",
    ])
    const changed = { questions: [{ ...set.questions[0], note: "New" }, set.questions[1]] }
    const again = await call("POST", `${id}/questions/import`, changed)
    expect(again.body).toMatchObject({ created: [], updated: [body.created[0]] })
    expect((await questionsOf(id))[0]).toMatchObject({ note: "New", state: "reached" })
  })

  it("refuses invalid questions, hostile imports, and more than 500 questions", async () => {
    const { id, fileId } = await newCollection()
    const other = await uploadAndEmbed(gateway, "other.txt", "Not in the collection.")
    const invalid = [
      { question: " ", file_id: fileId },
      { question: "x".repeat(2001), file_id: fileId },
      { question, file_id: other.id },
      { question, file_id: fileId, quotation: "x".repeat(5001) },
      { question },
    ]
    for (const body of invalid)
      expect((await call("POST", `${id}/questions`, body)).status).toBeGreaterThanOrEqual(400)
    const many = (count: number) => ({
      questions: Array.from({ length: count }, (_, at) => ({
        question: `Question ${at}?`,
        filename: "handbook.md",
      })),
    })
    const hostile = [
      null,
      [],
      "text",
      { questions: {} },
      { questions: [] },
      { questions: [null] },
      { questions: [{ question, filename: 1 }] },
      { questions: [{ question, filename: "a", quotation: { toString: "x" } }] },
      many(501),
      '{"questions":'.repeat(5000),
    ]
    for (const body of hostile) {
      const { status } = await call("POST", `${id}/questions/import`, body)
      expect([400, 422]).toContain(status)
    }
    expect(await questionsOf(id)).toEqual([])
    const strange = { question: "__proto__ \u0007 \ud83d\ude00", filename: "constructor" }
    expect((await call("POST", `${id}/questions/import`, { questions: [strange] })).status).toBe(200)
    expect((await call("POST", `${id}/questions/import`, many(499))).status).toBe(200)
    expect((await call("POST", `${id}/questions`, { question, file_id: fileId })).status).toBe(409)
    const path = `${id}/questions/import`
    const more = { questions: [{ question: "One more?", filename: "a" }] }
    expect((await call("POST", path, more)).status).toBe(409)
    const { runs } = await waitForRun(id, "questions")
    expect(runs[0].total).toBe(500)
  })

  it("waits for files that are being processed", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId, quotation: leave })
    await waitForRun(id, "questions")
    const { db } = gateway.gateway
    const set = (status: string) =>
      db.transact(async (tx) => {
        await tx.updateTable("files").set({ status }).where("id", "=", fileId).execute()
      })
    await set("processing")
    const { body } = await call("POST", `${id}/questions/run`)
    expect(body).toMatchObject({ status: "waiting", total: 1 })
    await waitForEnd(id)
    expect(await statusOf(id)).toMatchObject({ status: "waiting" })
    await gateway.call("POST", `/api/v1/files/${fileId}/process`)
    await waitForRun(id, "requested")
  })

  it("starts one run for several requests", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId })
    const all = await Promise.all([1, 2, 3].map(() => call("POST", `${id}/questions/run`)))
    for (const { status } of all) expect(status).toBe(200)
    const { runs } = await waitForRun(id, "requested")
    expect(runs).toHaveLength(1)
  })

  it("deletes the questions with their collection", async () => {
    const { id, fileId } = await newCollection()
    await addQuestion(id, { file_id: fileId })
    expect((await call("DELETE", `${id}/delete`)).status).toBe(200)
    expect((await call("GET", `${id}/questions`)).status).toBe(404)
    const { db } = gateway.gateway
    const left = db.read.selectFrom("collection_questions").select("id")
    expect(await left.where("collection_id", "=", id).execute()).toEqual([])
  })
})

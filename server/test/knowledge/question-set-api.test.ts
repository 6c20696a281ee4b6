import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { uploadAndEmbed } from "./collections.ts"
import {
  leave,
  type QuestionSetGateway,
  question,
  startQuestionSetGateway,
} from "./question-set-gateway.ts"

vi.setConfig({ testTimeout: 60_000 })

describe.each(chooseDatabases())("question sets on $name", ({ createDatabase }) => {
  let sets: QuestionSetGateway

  beforeAll(async () => {
    sets = await startQuestionSetGateway(createDatabase)
  })
  afterAll(() => sets.gateway.stop())

  it("lists questions by state and text, page by page", async () => {
    const { id, fileId } = await sets.newCollection()
    await sets.addQuestion(id, { file_id: fileId, question: "Größe des Büros?" })
    await sets.addQuestion(id, { file_id: fileId, quotation: leave })
    await sets.waitForRun(id, "questions")
    const find = async (query: string) => (await sets.call("GET", `${id}/questions?${query}`)).body
    expect((await find("query=GR%C3%96%C3%9FE")).total).toBe(1)
    expect((await find("query=annual")).items).toMatchObject([{ question }])
    expect((await find("page_size=1&page=2")).items).toMatchObject([{ question }])
    expect((await find("state=lost")).total).toBe(0)
  })

  it("lets readers read, writers change, and nobody else know", async () => {
    const { id, fileId } = await sets.newCollection()
    const reader = await sets.gateway.createUser(`Reader${id.slice(-6)}`)
    const writer = await sets.gateway.createUser(`Writer${id.slice(-6)}`)
    const stranger = await sets.gateway.createUser(`Stranger${id.slice(-6)}`)
    const grant = (principal_id: string, permission: string) => ({
      ...{ principal_type: "user", principal_id, permission },
    })
    const access_grants = [grant(reader.id, "read"), grant(writer.id, "write")]
    await sets.call("POST", `${id}/update`, { access_grants })
    const fields = { question, file_id: fileId }
    const added = await sets.call("POST", `${id}/questions`, fields, writer.key)
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
      expect((await sets.call(method, path, body, reader.key)).status, path).toBe(403)
      expect((await sets.call(method, path, body, stranger.key)).status, path).toBe(404)
    }
    for (const path of ["questions", "questions/runs", "questions/export"]) {
      expect((await sets.call("GET", `${id}/${path}`, undefined, reader.key)).status).toBe(200)
      expect((await sets.call("GET", `${id}/${path}`, undefined, stranger.key)).status).toBe(404)
    }
    expect((await sets.call("POST", `${id}/questions/run`, undefined, writer.key)).status).toBe(200)
  })

  it("exports what it imports, and updates known questions", async () => {
    const { id } = await sets.newCollection()
    const set = {
      questions: [
        { question, previous: "", filename: "handbook.md", quotation: leave, note: "" },
        { question: "Who?", previous: "When?", filename: "gone.md", quotation: "", note: "N" },
      ],
    }
    const { body } = await sets.call("POST", `${id}/questions/import`, set)
    expect(body).toMatchObject({ updated: [], unknown_files: ["gone.md"] })
    expect(body.created).toHaveLength(2)
    expect((await sets.call("GET", `${id}/questions/export`)).body).toEqual(set)
    await sets.waitForRun(id, "questions")
    expect((await sets.questionsOf(id)).map(({ state }: { state: string }) => state)).toEqual([
      "reached",
      "missed",
    ])
    const changed = { questions: [{ ...set.questions[0], note: "New" }, set.questions[1]] }
    const repeated = await sets.call("POST", `${id}/questions/import`, changed)
    expect(repeated.body).toMatchObject({ created: [], updated: [body.created[0]] })
    expect((await sets.questionsOf(id))[0]).toMatchObject({ note: "New", state: "reached" })
  })

  it("refuses invalid questions, hostile imports, and more than 500 questions", async () => {
    const { id, fileId } = await sets.newCollection()
    const other = await uploadAndEmbed(sets.gateway, "other.txt", "Not in the collection.")
    const invalid = [
      { question: " ", file_id: fileId },
      { question: "x".repeat(2001), file_id: fileId },
      { question, file_id: other.id },
      { question, file_id: fileId, quotation: "x".repeat(5001) },
      { question },
    ]
    for (const body of invalid)
      expect((await sets.call("POST", `${id}/questions`, body)).status).toBeGreaterThanOrEqual(400)
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
      const { status } = await sets.call("POST", `${id}/questions/import`, body)
      expect([400, 422]).toContain(status)
    }
    expect(await sets.questionsOf(id)).toEqual([])
    const strange = { question: "__proto__ \u0007 \ud83d\ude00", filename: "constructor" }
    expect(
      (await sets.call("POST", `${id}/questions/import`, { questions: [strange] })).status,
    ).toBe(200)
    expect((await sets.call("POST", `${id}/questions/import`, many(499))).status).toBe(200)
    expect((await sets.call("POST", `${id}/questions`, { question, file_id: fileId })).status).toBe(
      409,
    )
    const path = `${id}/questions/import`
    const more = { questions: [{ question: "One more?", filename: "a" }] }
    expect((await sets.call("POST", path, more)).status).toBe(409)
    const { runs } = await sets.waitForRun(id, "questions")
    expect(runs[0].total).toBe(500)
  })

  it("count toward the storage of the collection's owner", async () => {
    const { id } = await sets.newCollection()
    const textBytes = async () =>
      (await sets.gateway.call("GET", "/api/v1/storage")).body.breakdown.text
    const before = await textBytes()
    const questions = [{ question: "Who?", filename: "a", quotation: "ä".repeat(1000) }]
    await sets.call("POST", `${id}/questions/import`, { questions })
    await expect.poll(textBytes).toBe(before + 2004)
  })
})

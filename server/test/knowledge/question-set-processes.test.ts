import { afterEach, describe, expect, it, vi } from "vitest"
import { chooseDatabases, hasPostgres, postgresDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createCollection, uploadAndEmbed } from "./collections.ts"
import { quickRuns } from "./question-set-gateway.ts"

vi.setConfig({ testTimeout: 60_000 })

/** Larger than the context budget, so that every question is searched. */
const text = (subject: string): string =>
  Array.from({ length: 300 }, (_, at) => `Rule ${at} of ${subject} binds ward ${at}.`).join("\n\n")

const questions = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    question: `Whom does rule ${at % 300} bind, asked for the ${at}th time?`,
    filename: "rules.txt",
    quotation: `Rule ${at % 300} of law binds ward ${at % 300}.`,
  }))

const createQuestionSet = async (gateway: TestGateway, count: number): Promise<string> => {
  const { id: fileId } = await uploadAndEmbed(gateway, "rules.txt", text("law"))
  const id = await createCollection(gateway, "Rules", [fileId])
  const path = `/api/v1/knowledge/${id}/questions/import`
  await gateway.call("POST", path, { questions: questions(count) })
  return id
}

const statusOf = async (gateway: TestGateway, id: string) =>
  (await gateway.call("GET", `/api/v1/knowledge/${id}/questions/runs`)).body

const reasonsOf = async (gateway: TestGateway, id: string): Promise<string[]> => {
  const { status, runs } = await statusOf(gateway, id)
  return [status, ...runs.map(({ reason }: { reason: string }) => reason)]
}

const options = { ...quickRuns, jobPollMs: 50 }
const running: TestGateway[] = []
const start = async (env: Record<string, string>): Promise<TestGateway> => {
  const gateway = await startGateway(env, options)
  running.push(gateway)
  return gateway
}
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop()
})

describe.each(chooseDatabases())("a run of questions on $name", ({ createDatabase }) => {
  it("is resumed by the next process if it was interrupted", async () => {
    const database = await createDatabase()
    const first = await start(database.env)
    const id = await createQuestionSet(first, 400)
    await expect.poll(async () => (await statusOf(first, id)).judged, { interval: 5 }).not.toBe(0)
    const { judged, total, runs } = await statusOf(first, id)
    expect([total, runs]).toEqual([400, []])
    await running.pop()?.stop()
    const second = await start(database.env)
    const readStatus = async () => (await statusOf(second, id)).status
    await expect.poll(readStatus, { timeout: 30_000 }).toBe("idle")
    const { counts, runs: finished } = await statusOf(second, id)
    expect(judged).toBeLessThan(400)
    expect(counts).toMatchObject({ unjudged: 0 })
    expect(finished).toMatchObject([{ total: 400, reason: "questions" }])
    await running.pop()?.stop()
    await database.remove()
  })
})

describe.runIf(hasPostgres)("two gateways that share a database", () => {
  it("run the questions of a collection once for a change", async () => {
    const database = await postgresDatabase?.createDatabase()
    if (!database) return
    const first = await start(database.env)
    const second = await start(database.env)
    const id = await createQuestionSet(first, 20)
    await expect.poll(() => reasonsOf(second, id)).toEqual(["idle", "questions"])
    const names = ["a.txt", "b.txt", "c.txt"]
    const files = await Promise.all(names.map((name) => uploadAndEmbed(first, name, text(name))))
    const path = `/api/v1/knowledge/${id}/file/add`
    await Promise.all(
      files.map((file, at) => (at === 0 ? first : second).call("POST", path, { file_id: file.id })),
    )
    await expect
      .poll(() => reasonsOf(first, id), { timeout: 20_000 })
      .toEqual(["idle", "files", "questions"])
    expect((await statusOf(second, id)).runs[0]).toMatchObject({ total: 20, lost: 0 })
    for (const gateway of running.splice(0)) await gateway.stop()
    await database.remove()
  })
})

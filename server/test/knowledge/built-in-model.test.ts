import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { allMiniLM } from "../../src/knowledge/embedding/built-in/model-descriptions.ts"
import { startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  embedderOptions,
  findModelProcess,
  hasLoadedRuntime,
  listModelProcesses,
  modelTimeoutMs,
} from "./built-in-model-process.ts"
import { createCollection, upload, uploadAndEmbed } from "./collections.ts"

vi.setConfig({ testTimeout: modelTimeoutMs })
const slow = { timeout: 60_000 }

const fact = "Employees are entitled to thirty vacation days per calendar year."
const builtInModelId = allMiniLM.id
const byBuiltInModel = { embedding_model: builtInModelId }
/** Shares no words with the fact. */
const paraphrase = "How much annual leave do workers get?"
const fake = "embed-fake"

describe.each(chooseDatabases())("the built-in embedding model on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway | undefined
  let upstream: FakeOpenAI | undefined

  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(async () => {
    await stop()
    await upstream?.close()
    upstream = undefined
    await database.remove()
  })

  const stop = async (): Promise<void> => {
    await gateway?.stop()
    gateway = undefined
  }
  const start = async (options: object = {}, env: Record<string, string> = {}) => {
    gateway = await startGateway({ ...database.env, ...env }, { ...embedderOptions, ...options })
    return gateway
  }
  const startWithConnection = async (options: object = {}) => {
    upstream ??= await startFakeOpenAI({ dimensions: 64 })
    const started = await start(options, { OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(started, [fake])
    return started
  }
  const collectFact = async (started: TestGateway): Promise<string> => {
    const file = await uploadAndEmbed(started, "leave.txt", fact)
    expect(file.data.status).toBe("completed")
    const other = await uploadAndEmbed(started, "lunch.txt", "The canteen serves soup at noon.")
    return createCollection(started, "Work", [file.id, other.id])
  }
  const query = async (started: TestGateway, id: string, text = paraphrase) =>
    (await started.call("POST", `/api/v1/knowledge/${id}/query`, { query: text })).body
  const status = async (started: TestGateway, options = {}) =>
    (await started.call("GET", "/api/v1/embedding-model", undefined, options)).body
  const choose = (started: TestGateway, embedding_model: string) =>
    started.call("POST", "/api/v1/settings", { embedding_model })

  it("finds a paraphrase and reports its status when no connection offers an embedding model", async () => {
    const started = await start()
    const id = await collectFact(started)
    const found = await query(started, id)
    expect(found).toMatchObject({ search: "hybrid", embedding_model: builtInModelId, note: null })
    expect(found.passages[0]).toMatchObject({ text: fact, dense: { rank: 1 } })
    expect(await status(started)).toMatchObject({
      model: { id: builtInModelId, built_in: true, available: true, reason: null },
      admin: {
        choice: { by: "automatic", model: null, variable: null, problem: null },
        building: null,
        models: [{ id: builtInModelId, built_in: true, connections: [] }],
        recommended: null,
      },
    })
    const { key } = await started.createUser("Uma")
    expect(await status(started, { key })).toMatchObject({
      model: { id: builtInModelId },
      admin: null,
    })
    const { data } = (await started.call("GET", "/v1/models")).body
    expect(data).toEqual([])
  })

  it("runs in one child process, which exits when idle, and is not loaded in the gateway", async () => {
    const started = await start({ builtInModelIdleMs: 500 })
    expect(listModelProcesses()).toEqual([])
    const id = await collectFact(started)
    await Promise.all([query(started, id), query(started, id, "Is there soup?")])
    expect(listModelProcesses()).toHaveLength(1)
    expect(listModelProcesses().map(hasLoadedRuntime)).toEqual([true])
    expect(hasLoadedRuntime(process.pid)).toBe(false)
    await expect.poll(() => listModelProcesses()).toEqual([])
    expect((await query(started, id)).passages[0]).toMatchObject({ text: fact })
  })

  it("falls back to lexical search while the child hangs, and restarts it after it dies", async () => {
    const started = await start({ questionTimeoutMs: 500 })
    const id = await collectFact(started)
    await query(started, id)
    const pid = findModelProcess()
    process.kill(pid, "SIGSTOP")
    const hanging = await query(started, id, "thirty vacation days")
    expect(hanging).toMatchObject({ search: "lexical", embedding_model: null })
    expect(hanging.passages[0]).toMatchObject({ text: fact })
    process.kill(pid, "SIGKILL")
    await expect.poll(async () => (await query(started, id)).search, slow).toBe("hybrid")
    expect(listModelProcesses()).not.toContain(pid)
  })

  it("kills a hanging child and embeds the file with a new one", async () => {
    const started = await start({ builtInModelTimeoutMs: 8000, jobRetryMs: 50 })
    const id = await collectFact(started)
    const pid = findModelProcess()
    process.kill(pid, "SIGSTOP")
    const file = await uploadAndEmbed(started, "bees.txt", "Bees collect nectar from flowers.")
    expect(file.data.progress).toMatchObject({ passages: 1, embedded: 1 })
    expect(listModelProcesses()).not.toContain(pid)
    expect((await query(started, id)).search).toBe("hybrid")
  })

  it("answers queries while a long file is embedded, and reports progress", async () => {
    const started = await start()
    const id = await collectFact(started)
    const paragraphs = Array.from({ length: 60 }, (_, n) => `Chapter ${n}. ${fact.repeat(15)}`)
    const { body: file } = await upload(started, "long.txt", paragraphs.join("\n\n"))
    const path = `/api/v1/files/${file.id}/process/status`
    const progress = async () => (await started.call("GET", path)).body
    await expect.poll(async () => (await progress()).progress.embedded, slow).toBeGreaterThan(0)
    expect((await query(started, id)).search).toBe("hybrid")
    const { building } = (await status(started)).admin
    expect(building).toMatchObject({ model: builtInModelId, total: 62 })
    expect(building.done).toBeLessThan(62)
    const { status: now, embedding, progress: numbers } = await progress()
    expect([now, embedding]).toEqual(["completed", "pending"])
    expect(numbers.embedded).toBeLessThan(numbers.passages)
    await started.call("POST", `/api/v1/knowledge/${id}/file/add`, { file_id: file.id })
    const { passages } = await query(started, id, "Chapter 59")
    expect(passages.map(({ filename }: { filename: string }) => filename)).toContain("long.txt")
  })

  it("leaves no process behind when the gateway is killed", async () => {
    const server = await startTestGatewayProcess(database.env, { options: embedderOptions })
    await uploadAndEmbed(server, "leave.txt", fact)
    const [pid = 0] = listModelProcesses(server.child.pid)
    expect(hasLoadedRuntime(pid)).toBe(true)
    await server.kill()
    await expect.poll(() => hasLoadedRuntime(pid)).toBe(false)
  })

  it("falls back to lexical search and logs the reason if a model file is corrupt", async () => {
    const folder = mkdtempSync(join(tmpdir(), "portico-model-"))
    const weights = readFileSync(join(embedderOptions.builtInModelFolder, "model.onnx"))
    weights.writeUInt8((weights.at(-1) ?? 0) ^ 1, weights.length - 1)
    writeFileSync(join(folder, "model.onnx"), weights)
    const tokenizer = join(embedderOptions.builtInModelFolder, "tokenizer.json")
    copyFileSync(tokenizer, join(folder, "tokenizer.json"))
    const started = await start({ builtInModelFolder: folder })
    const id = await collectFact(started)
    const found = await query(started, id, "vacation days")
    expect(found).toMatchObject({ search: "lexical", embedding_model: null })
    expect(found.passages[0]).toMatchObject({ text: fact })
    const lines = started.logLines.filter(({ msg }) => `${msg}`.includes("SHA-256"))
    expect(lines).toHaveLength(1)
    expect(lines[0]?.msg).toContain("The embedding model all-minilm-l6-v2 is unavailable: ")
    const { model, admin } = await status(started)
    expect(model).toMatchObject({ built_in: true, available: false })
    expect(model.reason).toContain("Restore the file")
    const { key } = await started.createUser("Uma")
    expect((await status(started, { key })).model.reason).not.toContain(folder)
    expect(admin).toMatchObject({ models: [], choice: { problem: model.reason } })
    rmSync(folder, { recursive: true })
  })

  it("ranks after a connection's model that has an index, and before one that has none", async () => {
    const before = await startWithConnection({ builtInModelFolder: null })
    const id = await collectFact(before)
    expect((await query(before, id)).embedding_model).toBe(fake)
    await stop()
    const upgraded = await startWithConnection()
    expect((await query(upgraded, id)).embedding_model).toBe(fake)
    expect(await status(upgraded)).toMatchObject({
      model: { id: fake, built_in: false, available: true },
      admin: { building: null, choice: { by: "automatic" } },
    })
    expect(listModelProcesses()).toEqual([])
    await stop()

    // The connection's models are not known at startup.
    const moved = await startFakeOpenAI({ dimensions: 64 })
    onTestFinished(() => moved.close())
    moved.injectFault({ kind: "slow_headers", ms: 1000 }, { on: /models/, times: 1 })
    const late = await start({}, { OPENAI_API_BASE_URLS: moved.url })
    await waitForModels(late, [fake])
    expect((await query(late, id)).embedding_model).toBe(fake)
    expect(listModelProcesses()).toEqual([])
    await stop()
    await database.remove()
    database = await createDatabase()
    const fresh = await startWithConnection()
    expect((await query(fresh, await collectFact(fresh))).embedding_model).toBe(builtInModelId)
  })

  it("is replaced by the administrator's choice once that has embedded every passage", async () => {
    const started = await startWithConnection()
    const id = await collectFact(started)
    expect((await status(started)).admin.models).toEqual([
      { id: builtInModelId, built_in: true, connections: [] },
      { id: fake, built_in: false, connections: [expect.any(String)] },
    ])
    upstream?.injectFault({ kind: "status", status: 500 }, { on: /embeddings/, times: 1000 })
    expect((await choose(started, fake)).body.values.embedding_model).toBe(fake)
    await expect
      .poll(async () => (await status(started)).admin.building)
      .toEqual({ model: fake, done: 0, total: 2 })
    expect((await status(started)).admin.choice).toMatchObject({
      by: "administrator",
      model: fake,
    })
    expect(await query(started, id)).toMatchObject(byBuiltInModel)
    upstream?.clearFaults()
    await expect.poll(async () => (await status(started)).model.id, { timeout: 20_000 }).toBe(fake)
    expect(await status(started)).toMatchObject({ admin: { building: null } })
    expect((await query(started, id)).embedding_model).toBe(fake)
    await choose(started, builtInModelId)
    await expect.poll(() => query(started, id), slow).toMatchObject(byBuiltInModel)
  })

  it("keeps its index if another model is chosen but reset before its index is complete", async () => {
    const started = await startWithConnection()
    const id = await collectFact(started)
    upstream?.injectFault({ kind: "status", status: 500 }, { on: /embeddings/, times: 1000 })
    await choose(started, fake)
    await expect.poll(async () => (await status(started)).admin.building).not.toBeNull()
    await choose(started, "")
    await expect.poll(async () => (await status(started)).admin.building).toBeNull()
    upstream?.clearFaults()
    expect(await query(started, id)).toMatchObject(byBuiltInModel)
  })

  it("recommends a multilingual model for a runtime until it is installed", async () => {
    const runtime = await startFakeOllama({ models: ["llama3.2"] })
    onTestFinished(() => runtime.close())
    const started = await start({}, { OLLAMA_BASE_URLS: runtime.url })
    await expect
      .poll(async () => (await status(started)).admin.recommended)
      .toEqual({ name: "bge-m3", size: 1_200_000_000, note: expect.any(String) })
    await started.call("POST", "/ollama/api/pull", { model: "bge-m3" })
    const models = [{ id: builtInModelId }, { id: "bge-m3:latest", built_in: false }]
    await expect
      .poll(async () => (await status(started)).admin)
      .toMatchObject({ recommended: null, models })
    expect((await choose(started, "bge-m3:latest")).status).toBe(200)
  })

  it("can be turned off, and unknown models are rejected", async () => {
    const started = await start()
    const unknown = await choose(started, "no-such-model")
    expect(unknown).toMatchObject({ status: 400, body: { code: "bad_request" } })
    expect(unknown.body.detail).toContain(`Choose one of: ${builtInModelId}`)
    await choose(started, "none")
    const id = await collectFact(started)
    expect(await query(started, id, "vacation")).toMatchObject({ search: "lexical" })
    expect(await status(started)).toMatchObject({
      model: null,
      admin: { choice: { by: "administrator", model: "none", problem: null }, building: null },
    })
    expect(listModelProcesses()).toEqual([])
    await choose(started, "")
    await expect.poll(async () => (await query(started, id)).passages[0]?.text, slow).toBe(fact)
  })

  it("is overridden by EMBEDDING_MODEL, and reports if no connection offers that model", async () => {
    const started = await start({}, { EMBEDDING_MODEL: "bge-m3" })
    const id = await collectFact(started)
    expect(await query(started, id, "vacation")).toMatchObject({ search: "lexical" })
    expect((await choose(started, "")).status).toBe(409)
    const { model, admin } = await status(started)
    expect(model).toBeNull()
    expect(admin.choice).toEqual({
      by: "environment",
      model: "bge-m3",
      variable: "EMBEDDING_MODEL",
      problem: 'No connection currently offers the model "bge-m3".',
      problem_reference: { id: "model_not_offered", values: { id: "bge-m3" } },
    })
  })
})

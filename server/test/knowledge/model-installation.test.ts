import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type FakeModelHub, type HubFault, startFakeModelHub } from "../fakes/model-hub.ts"
import { tinyModel, tinyModelFiles } from "../fakes/tiny-embedding-model.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createCollection, uploadAndEmbed } from "./collections.ts"

const path = "/api/v1/embedding-model/installations/tiny"
const fact = "everyone has thirty vacation days."
const paraphrase = "how much leave?"

describe.each(chooseDatabases())("an installable embedding model on $name", (database_) => {
  let database: TestDatabase
  let hub: FakeModelHub
  let gateway: TestGateway

  const start = (options: object = {}, env: Record<string, string> = {}) =>
    startGateway(
      { ...database.env, HF_ENDPOINT: hub.url, ...env },
      { installableModels: [tinyModel], modelDownloadRetryMs: 10, ...options },
    )
  beforeEach(async () => {
    database = await database_.createDatabase()
    hub = await startFakeModelHub()
    gateway = await start()
  })
  afterEach(async () => {
    await gateway.stop()
    await hub.close()
    await database.remove()
  })

  const status = async () => (await gateway.call("GET", "/api/v1/embedding-model")).body.admin
  const model = async () => (await status()).installable[0]
  const install = (options = {}) => gateway.call("POST", path, undefined, options)
  const remove = () => gateway.call("DELETE", path)
  const folder = () => join(gateway.dataDir, "models", "tiny")
  const pathOf = (name: string) => join(folder(), name)
  const waitFor = (expected: object) =>
    expect.poll(model, { timeout: 10_000 }).toMatchObject(expected)
  const fail = (...faults: HubFault[]) => hub.faults.push(...faults)
  const actions = async () => {
    const { body } = await gateway.call("GET", "/api/v1/audit?action=embedding_model.")
    return body.items.map(({ action }: { action: string }) => action).reverse()
  }

  it("is downloaded, verified and used for search", async () => {
    const file = await uploadAndEmbed(gateway, "leave.txt", fact)
    const other = await uploadAndEmbed(gateway, "lunch.txt", "the canteen has soup.")
    const id = await createCollection(gateway, "Work", [file.id, other.id])
    const size = tinyModel.weights.size + tinyModel.tokenizer.size
    expect(await model()).toEqual({
      ...{ id: tinyModel.id, name: "tiny", size, license: "MIT", state: "absent", received: 0 },
      ...{ problem: null, problem_reference: null },
    })
    const chosen = { embedding_model: tinyModel.id }
    expect((await gateway.call("POST", "/api/v1/settings", chosen)).status).toBe(400)

    fail("redirect")
    const { status: code, body } = await install()
    expect([code, body.state]).toEqual([202, "installing"])
    await waitFor({ state: "installed", received: size, problem: null })
    expect(hub.requests).toHaveLength(3)
    expect(readdirSync(folder()).sort()).toEqual(["model_quantized.onnx", "tokenizer.json"])
    expect((await install()).body.state).toBe("installed")
    expect(hub.requests).toHaveLength(3)

    expect((await gateway.call("POST", "/api/v1/settings", chosen)).status).toBe(200)
    const query = async () =>
      (await gateway.call("POST", `/api/v1/knowledge/${id}/query`, { query: paraphrase })).body
    await expect.poll(async () => (await query()).search, { timeout: 20_000 }).toBe("hybrid")
    const found = await query()
    expect(found).toMatchObject({ embedding_model: tinyModel.id, note: null })
    expect(found.passages[0]).toMatchObject({ text: fact, dense: { rank: 1 } })

    expect(await remove()).toMatchObject({ status: 409, body: { code: "in_use" } })
    expect(await actions()).toEqual([
      "embedding_model.install_requested",
      "embedding_model.installed",
    ])
  }, 40_000)

  it("is found after a restart, and when its files were placed in the data folder", async () => {
    mkdirSync(folder(), { recursive: true })
    for (const [at, bytes] of Object.entries(tinyModelFiles))
      writeFileSync(pathOf(at.split("/").at(-1) ?? ""), bytes)
    await gateway.stop()
    gateway = await start({}, { DATA_DIR: gateway.dataDir })
    await waitFor({ state: "installed" })
    expect((await status()).models.map(({ id }: { id: string }) => id)).toEqual([tinyModel.id])
    expect(hub.requests).toEqual([])
    await gateway.call("POST", "/api/v1/settings", { embedding_model: "none" })
    expect((await remove()).body).toMatchObject({ state: "absent", received: 0 })
    expect((await status()).models).toEqual([])
    expect(await actions()).toEqual(["embedding_model.removed"])
  })

  it("does not use a file that is not the published one, and replaces it", async () => {
    mkdirSync(folder(), { recursive: true })
    const changed = Buffer.alloc(tinyModel.weights.size, 1)
    writeFileSync(pathOf("model_quantized.onnx"), changed)
    await gateway.stop()
    gateway = await start({}, { DATA_DIR: gateway.dataDir })
    await waitFor({ state: "absent", problem_reference: { id: "model_file_damaged" } })
    expect((await model()).problem).toContain("model_quantized.onnx is not the published one")
    await install()
    await waitFor({ state: "installed", problem: null })
  })

  it.each<[HubFault[], string]>([
    [["missing"], "it answered with status 404"],
    [["changed"], "checksum is wrong"],
    [["longer"], "it sent more bytes"],
    [["redirect_elsewhere"], "localhost"],
    [["redirect_forever"], "it redirects too often"],
    [["cut", "cut", "cut", "cut", "cut"], "the connection was interrupted"],
  ])("reports a download with %s, and can be installed afterwards", async (faults, reason) => {
    fail(...faults)
    await install()
    await waitFor({ state: "absent", problem_reference: { id: "model_download_failed" } })
    const { problem } = await model()
    expect(problem).toContain(reason)
    expect(problem).toContain(folder())
    expect(gateway.logLines.some(({ msg }) => `${msg}`.includes(reason))).toBe(true)
    hub.faults.length = 0
    await install()
    await waitFor({ state: "installed", problem: null })
  })

  it("reports that the hub cannot be reached", async () => {
    await hub.close()
    await install()
    await waitFor({ state: "absent", problem_reference: { id: "model_download_failed" } })
    hub = await startFakeModelHub()
  })

  it.each<HubFault>(["cut", "short"])("resumes after a %s body", async (fault) => {
    fail(fault)
    await install()
    await waitFor({ state: "installed" })
    const half = Math.floor(tinyModel.tokenizer.size / 2)
    expect(hub.requests[1]).toContain(`bytes=${half}-`)
  })

  it("is downloaded once by several clicks, and can be canceled and started again", async () => {
    fail("stalled")
    await Promise.all([install(), install(), install()])
    await waitFor({ state: "installing", received: 1 })
    expect(hub.requests).toHaveLength(1)
    expect((await remove()).body).toMatchObject({ state: "absent", received: 0, problem: null })
    expect(readdirSync(folder())).toEqual([])
    await install()
    await waitFor({ state: "installed" })
  })

  it("is not downloaded while another process does, unless that has died", async () => {
    mkdirSync(folder(), { recursive: true })
    const lock = pathOf("installing.lock")
    writeFileSync(lock, "another process")
    await install()
    await waitFor({ state: "installing" })
    expect(hub.requests).toEqual([])
    const longAgo = new Date(Date.now() - 120_000)
    utimesSync(lock, longAgo, longAgo)
    await install()
    await waitFor({ state: "installed" })
    expect(existsSync(lock)).toBe(false)
  })

  it("leaves a download in progress when the gateway stops, and resumes it", async () => {
    fail("stalled")
    await install()
    await waitFor({ state: "installing", received: 1 })
    await gateway.stop()
    gateway = await start({}, { DATA_DIR: gateway.dataDir })
    await waitFor({ state: "absent", received: 1 })
    await install()
    await waitFor({ state: "installed" })
    expect(hub.requests[1]).toContain("bytes=1-")
  })

  it("can be installed by administrators only, and under its name only", async () => {
    const { key } = await gateway.createUser("Uma")
    expect((await install({ key })).status).toBe(403)
    const other = await gateway.call("POST", path.replace("tiny", "other"))
    expect(other).toMatchObject({ status: 404, body: { code: "model_not_found" } })
    expect(hub.requests).toEqual([])
  })

  it("says that a file cannot be read by the user that runs the gateway", async () => {
    // Even root cannot read a folder as a file.
    mkdirSync(pathOf("tokenizer.json"), { recursive: true })
    const { size } = statSync(pathOf("tokenizer.json"))
    const tokenizer = { ...tinyModel.tokenizer, size }
    await gateway.stop()
    gateway = await start(
      { installableModels: [{ ...tinyModel, tokenizer }] },
      { DATA_DIR: gateway.dataDir },
    )
    await waitFor({ state: "absent", problem_reference: { id: "model_file_unreadable" } })
    expect((await model()).problem).toContain("cannot be read by the user that runs Portico")
    expect((await install()).status).toBe(202)
    await waitFor({ state: "absent", problem_reference: { id: "model_download_failed" } })
  })

  it.each<HubFault>(["busy", "overloaded"])("is retried while the hub is %s", async (fault) => {
    fail(fault, fault)
    await install()
    await waitFor({ state: "installed" })
    expect(hub.requests).toHaveLength(4)
  })

  it("is taken over from a process that dies while it installs the model", async () => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(pathOf("installing.lock"), "another process")
    await install()
    await waitFor({ state: "installing" })
    const longAgo = new Date(Date.now() - 120_000)
    utimesSync(pathOf("installing.lock"), longAgo, longAgo)
    await waitFor({ state: "installed" })
    expect(await actions()).toContain("embedding_model.installed")
  })

  it("leaves no files behind if another process removes it meanwhile", async () => {
    fail("stalled")
    await install()
    await waitFor({ state: "installing", received: 1 })
    rmSync(pathOf("installing.lock"))
    await waitFor({ state: "absent", received: 0, problem: null })
    expect(readdirSync(folder())).toEqual([])
  })
})

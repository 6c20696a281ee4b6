import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { allMiniLM } from "../../src/knowledge/embedding/built-in/model-descriptions.ts"
import { type FakeModelHub, startFakeModelHub } from "../fakes/model-hub.ts"
import { tinyModel } from "../fakes/tiny-embedding-model.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { embedderOptions, modelTimeoutMs } from "./built-in-model-process.ts"
import { uploadAndEmbed } from "./collections.ts"

vi.setConfig({ testTimeout: modelTimeoutMs })

const path = "/api/v1/embedding-model/installations/tiny"

describe.each(chooseDatabases())("an embedding model that was removed, on $name", (database_) => {
  let database: TestDatabase
  let hub: FakeModelHub
  let gateway: TestGateway

  const start = (env: Record<string, string> = {}) =>
    startGateway(
      { ...database.env, HF_ENDPOINT: hub.url, ...env },
      { ...embedderOptions, installableModels: [tinyModel], modelDownloadRetryMs: 10 },
    )
  const read = async () => (await gateway.call("GET", "/api/v1/embedding-model")).body
  const waitForState = (state: string) =>
    expect.poll(async () => (await read()).admin.installable[0].state).toBe(state)
  const waitForModel = (id: string) =>
    expect.poll(async () => (await read()).model?.id, { timeout: 20_000 }).toBe(id)
  const choose = (embedding_model: string) =>
    gateway.call("POST", "/api/v1/settings", { embedding_model })
  const stop = async (): Promise<string> => {
    await gateway.stop()
    return gateway.dataDir
  }

  beforeEach(async () => {
    database = await database_.createDatabase()
    hub = await startFakeModelHub()
    gateway = await start()
    await gateway.call("POST", path)
    await waitForState("installed")
    await choose(tinyModel.id)
    await uploadAndEmbed(gateway, "leave.txt", "everyone has thirty vacation days.")
    await waitForModel(tinyModel.id)
  })
  afterEach(async () => {
    await gateway.stop()
    await hub.close()
    await database.remove()
  })

  it("is replaced by the shipped one when the choice is automatic", async () => {
    await choose("none")
    expect((await gateway.call("DELETE", path)).status).toBe(200)
    await choose("")
    await waitForModel(allMiniLM.id)
  }, 40_000)

  it("keeps its index across a restart only while its files are there", async () => {
    await choose("")
    gateway = await start({ DATA_DIR: await stop() })
    await waitForState("installed")
    expect(await read()).toMatchObject({
      model: { id: tinyModel.id, available: true },
      admin: { building: null },
    })

    const dataDir = await stop()
    rmSync(join(dataDir, "models"), { recursive: true })
    gateway = await start({ DATA_DIR: dataDir })
    await waitForModel(allMiniLM.id)
  }, 40_000)

  it("stays selected, and the status says what to do", async () => {
    const dataDir = await stop()
    rmSync(join(dataDir, "models"), { recursive: true })
    gateway = await start({ DATA_DIR: dataDir })
    await waitForState("absent")
    const problem = { id: "model_not_installed" }
    const { model, admin } = await read()
    expect(model).toMatchObject({
      ...{ id: tinyModel.id, available: false, reason_reference: problem },
    })
    expect(model.reason).toContain(join(dataDir, "models", "tiny"))
    expect(admin).toMatchObject({
      building: null,
      choice: { by: "administrator", problem_reference: problem },
    })
  })
})

import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { spawnTestGateway, startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { upload } from "../knowledge/collections.ts"

const folders: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "portico-lost-"))
  folders.push(folder)
  return folder
}
afterEach(killAllGateways)
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const executeOn = async ({ dataDir, url }: TestDatabase, statement: string): Promise<void> => {
  if (url === undefined) {
    const database = new DatabaseSync(join(dataDir, "portico.db"))
    database.exec(statement)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

describe.each(chooseDatabases())("a downgrade on $name", ({ createDatabase }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.remove())

  it("is reported as such, with instructions", async () => {
    const newer = await startTestGatewayProcess(database.env)
    newer.child.kill("SIGTERM")
    await newer.exited
    const at = new Date().toISOString()
    const row = `insert into kysely_migration (name, timestamp) values ('0999-of-tomorrow', '${at}')`
    await executeOn(database, row)
    const older = spawnTestGateway(database.env)
    expect(await older.exited).toBe(1)
    const output = older.output.join("\n")
    expect(output).toMatch(
      /migrated by a newer version of Portico.*0999-of-tomorrow.*Start that version/,
    )
    expect(output).not.toMatch(/corrupt/)
  }, 60_000)
})

it("does not generate a new secret.key for a data folder that has lost its own", async () => {
  const env = { DATA_DIR: newFolder(), SECRET_KEY: "" }
  const first = await startTestGatewayProcess(env)
  first.child.kill("SIGTERM")
  await first.exited
  rmSync(join(env.DATA_DIR, "secret.key"))
  const second = spawnTestGateway(env)
  expect(await second.exited).toBe(1)
  expect(second.output.join("\n")).toMatch(/secret\.key is missing.*Restore it from a backup/s)
  expect(readdirSync(env.DATA_DIR)).not.toContain("secret.key")
}, 60_000)

it("fails a file whose content is missing permanently, with instructions", async () => {
  const gateway = await startGateway()
  const sent = await upload(gateway, "a.txt", "words", { query: "?process=false" })
  expect(sent.status).toBe(200)
  rmSync(join(gateway.dataDir, "objects"), { recursive: true })
  const path = `/api/v1/files/${sent.body.id}/content`
  const { status, body, headers } = await gateway.call("GET", path)
  expect([status, body.code]).toEqual([410, "file_lost"])
  expect(body.detail).toMatch(/Upload it again.*backup/)
  expect(headers.get("retry-after")).toBeNull()
  await gateway.stop()
})

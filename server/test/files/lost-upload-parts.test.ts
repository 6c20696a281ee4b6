import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type Place } from "../harness/databases.ts"
import { startGateway } from "../harness/gateway.ts"
import { killAll } from "../harness/gateway-process.ts"
import { spawnServer, startServer } from "../harness/process.ts"
import { upload } from "../knowledge/collections.ts"

const folders: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "portico-lost-"))
  folders.push(folder)
  return folder
}
afterEach(killAll)
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const runOn = async ({ dataDir, url }: Place, statement: string): Promise<void> => {
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

describe.each(chooseDatabases())("a downgrade on $name", ({ place }) => {
  let home: Place
  beforeAll(async () => {
    home = await place()
  })
  afterAll(() => home.remove())

  it("is reported as such, with instructions", async () => {
    const newer = await startServer(home.env)
    newer.child.kill("SIGTERM")
    await newer.ended
    const at = new Date().toISOString()
    const row = `insert into kysely_migration (name, timestamp) values ('0999-of-tomorrow', '${at}')`
    await runOn(home, row)
    const older = spawnServer(home.env)
    expect(await older.ended).toBe(1)
    const said = older.output.join("\n")
    expect(said).toMatch(
      /migrated by a newer version of Portico.*0999-of-tomorrow.*Start that version/,
    )
    expect(said).not.toMatch(/corrupt/)
  }, 60_000)
})

it("does not generate a new secret.key for a data folder that has lost its own", async () => {
  const env = { DATA_DIR: newFolder(), SECRET_KEY: "" }
  const first = await startServer(env)
  first.child.kill("SIGTERM")
  await first.ended
  rmSync(join(env.DATA_DIR, "secret.key"))
  const second = spawnServer(env)
  expect(await second.ended).toBe(1)
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

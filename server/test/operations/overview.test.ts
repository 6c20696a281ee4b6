import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { backUpDatabase } from "../../src/db/backup.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

describe.each(chooseDatabases())("the overview on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const readOverview = async (key?: string) =>
    gateway.call("GET", "/api/v1/admin/overview", undefined, key === undefined ? {} : { key })

  it("counts what needs attention, for administrators only", async () => {
    const grace = await gateway.createUser("Grace")
    const soon = Math.floor(Date.now() / 1000) + 86_400
    const key = { name: "Nightly report", expires_at: soon }
    await gateway.call("POST", "/api/v1/auths/api_keys", key, { key: grace.key })
    const { status, body } = await readOverview()
    expect(status).toBe(200)
    expect(body.expiring_keys).toEqual([
      { name: "Nightly report", user_id: grace.id, owner: "Grace", expires_at: soon },
    ])
    expect(body).toMatchObject({
      users: { total: 2, pending: 0 },
      files: { failed: 0 },
      storage_failure: null,
      last_backup_at: null,
    })
    expect(body.database.bytes).toBeGreaterThan(10_000)
    expect(body.started_at).toBeLessThan(soon)
    expect((await readOverview(grace.key)).status).toBe(403)
    await gateway.call("POST", `/api/v1/users/${grace.id}/update`, { role: "pending" })
    expect((await readOverview()).body.users).toEqual({ total: 2, pending: 1 })
  })

  it("reports the last backup of the embedded database", async () => {
    if ((await readOverview()).body.database.kind === "postgres") return
    backUpDatabase(gateway.dataDir, `${gateway.dataDir}/copy.db`)
    const { last_backup_at, started_at } = (await readOverview()).body
    expect(last_backup_at).toBeGreaterThan(started_at)
  })
})

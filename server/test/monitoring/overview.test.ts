import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { hideTable } from "../harness/hidden-table.ts"

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
      {
        name: "Nightly report",
        user_id: grace.id,
        group_id: null,
        owner: "Grace",
        expires_at: soon,
      },
    ])
    expect(body).toMatchObject({
      users: { total: 2, pending: 0 },
      files: { failed: 0 },
      storage_failure: null,
      failed_reloads: [],
      last_backup_at: null,
    })
    expect(body.database.bytes).toBeGreaterThan(10_000)
    expect(body.started_at).toBeLessThan(soon)
    expect((await readOverview(grace.key)).status).toBe(403)
    await gateway.call("POST", `/api/v1/users/${grace.id}/update`, { role: "pending" })
    expect((await readOverview()).body.users).toEqual({ total: 2, pending: 1 })
  })

  it.each(["settings", "connections", "functions", "models"])(
    "reports that the %s could not be reloaded, until they are",
    async (part) => {
      const { db, bus } = gateway.gateway
      const readFailures = async () => (await readOverview()).body.failed_reloads
      expect(await readFailures()).toEqual([])

      const bringBack = await hideTable(db, part)
      await db.transact((tx) => bus.publish(tx, { topic: "reset" }))
      await expect
        .poll(readFailures)
        .toEqual([{ part, error: expect.stringMatching(/no such table|does not exist/) }])
      const { body: metrics } = await gateway.call("GET", "/metrics")
      expect(metrics).toContain(`portico_background_failures_total{task="reload ${part}"} `)
      const lines = gateway.logLines.filter(({ task }) => task === `reload ${part}`)
      expect(lines).toMatchObject([{ msg: "a background task failed" }])

      // The bus keeps trying.
      await bringBack()
      await expect.poll(readFailures).toEqual([])
    },
  )

  it("shows a command for a backup that works as it is, and reports the backup", async () => {
    const { backup_command, database: used, started_at } = (await readOverview()).body
    if (used.kind === "postgres") return expect(backup_command).toBeNull()
    const cwd = mkdtempSync(join(tmpdir(), "portico-backup-"))
    const output = execFileSync("/bin/sh", ["-c", backup_command], {
      cwd,
      env: {},
      encoding: "utf8",
    })
    const [file] = readdirSync(cwd)
    expect(output).toContain(`Backed up to ${join(cwd, String(file))}`)
    expect((await readOverview()).body.last_backup_at).toBeGreaterThan(started_at)
    rmSync(cwd, { recursive: true })
  })
})

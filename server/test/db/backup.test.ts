import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { backUpDatabase } from "../../src/db/backup.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

// These tests start separate processes.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const script = join(import.meta.dirname, "../../src/backup.ts")

describe("a backup", () => {
  let folder: string
  let gateway: TestGateway

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "portico-backup-"))
    gateway = await startGateway()
  })
  afterAll(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (args: string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [script, ...args], {
      env: { PATH: process.env.PATH, DATA_DIR: gateway.dataDir, INIT_CWD: folder, ...env },
    })
    let output = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
    })
    child.stderr.on("data", (chunk) => {
      output += chunk
    })
    const [code] = await once(child, "close")
    return { code, output }
  }

  /** Starts a gateway on a restored backup. */
  const startFromBackup = (file: string): Promise<TestGateway> => {
    const DATA_DIR = mkdtempSync(join(folder, "restored-"))
    writeFileSync(join(DATA_DIR, "portico.db"), readFileSync(file))
    return startGateway({ DATA_DIR })
  }

  it("taken during writes is a consistent snapshot from which a gateway starts", async () => {
    const acknowledged: string[] = []
    let writing = true
    const writers = ["a", "b", "c"].map(async (writer) => {
      for (let n = 0; writing; n++) {
        const name = `${writer}-${n}`
        const { status } = await gateway.call("POST", "/api/v1/groups/create", { name })
        if (status === 200) acknowledged.push(name)
      }
    })
    const copies: { file: string; before: string[] }[] = []
    for (const copy of [1, 2, 3]) {
      const wanted = acknowledged.length + 15
      await expect.poll(() => acknowledged.length, { timeout: 15_000 }).toBeGreaterThan(wanted)
      const before = [...acknowledged]
      const file = join(folder, `copy-${copy}.db`)
      backUpDatabase(gateway.dataDir, file)
      copies.push({ file, before })
    }
    writing = false
    await Promise.all(writers)
    expect((await gateway.call("GET", "/ready")).status).toBe(200)

    for (const { file, before } of copies) {
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const copy = await startFromBackup(file)
      const { read } = copy.gateway.db
      const groups = (await read.selectFrom("groups").select("name").execute()).map((g) => g.name)
      expect(before.filter((name) => !groups.includes(name))).toEqual([])
      const events = read.selectFrom("audit_events").where("action", "=", "group.created")
      expect(await events.select("id").execute()).toHaveLength(groups.length)
      expect((await copy.call("POST", "/api/v1/groups/create", { name: "new" })).status).toBe(200)
      await copy.stop()
    }
  }, 60_000)

  it("is created by npm run backup while the gateway runs, in addition to an existing one", async () => {
    const { code, output } = await run(["mine.db"])
    expect([code, output]).toEqual([0, expect.stringContaining(`Backed up to ${folder}/mine.db`)])
    expect(output).toContain("secret.key")
    const copy = await startFromBackup(join(folder, "mine.db"))
    expect((await copy.call("GET", "/api/v1/users/")).body.total).toBe(1)
    await copy.stop()
  })

  it.each([
    [[], {}, "Specify a file"],
    [["mine.db"], {}, "already exists"],
    [["no/such/folder/x.db"], {}, ""],
    [["x.db"], { DATA_DIR: "/nonexistent" }, "No database found at /nonexistent/portico.db"],
    [
      ["x.db"],
      { DATABASE_URL: "postgres://x", SECRET_KEY: "x".repeat(32) },
      "Back up PostgreSQL with pg_dump",
    ],
  ])("that fails leaves no files and reports the reason: %j", async (args, env, why) => {
    const { code, output } = await run(args, env)
    expect(code).toBe(1)
    expect(output).toMatch(/^Backup failed\.\n/)
    expect(output).toContain(why)
    expect(output).not.toContain("    at ")
  })
})

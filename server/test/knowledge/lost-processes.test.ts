import { readdirSync, readFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { embedderOptions, listModelProcesses } from "./built-in-model-process.ts"
import { upload } from "./collections.ts"

const fact = "Employees are entitled to thirty vacation days per calendar year."

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    // The process has exited in the meantime.
    return ""
  }
}

/** Ids of this gateway's processes that extract text. */
const listExtractionProcesses = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
    .split(" ")
    .filter((pid) => commandOf(pid).includes("extract/src/extraction-process.ts"))
    .map(Number)

const hasChildLists = readdirSync("/proc/self/task/").every((task) =>
  readdirSync(`/proc/self/task/${task}`).includes("children"),
)

describe.runIf(hasChildLists).each(chooseDatabases())(
  "killed child processes on $name",
  ({ createDatabase }) => {
    let database: TestDatabase
    let gateway: TestGateway
    beforeEach(async () => {
      database = await createDatabase()
    })
    afterEach(async () => {
      await gateway.stop()
      await database.remove()
    })

    it("of the built-in embedding model are started again, however often they were killed", async () => {
      const options = { jobRetryMs: 50, builtInModelRetryMs: 200 }
      gateway = await startGateway(database.env, { ...embedderOptions, ...options })
      const isAvailable = async () =>
        (await gateway.call("GET", "/api/v1/embedding-model")).body.model.available
      const { body: file } = await upload(gateway, "leave.txt", fact)
      const killed = new Set<number>()
      while (await isAvailable()) {
        for (const pid of listModelProcesses()) {
          killed.add(pid)
          process.kill(pid, "SIGKILL")
        }
      }
      expect(killed.size).toBeGreaterThanOrEqual(5)
      await expect.poll(isAvailable).toBe(true)
      const embedded = async () =>
        (await gateway.call("GET", `/api/v1/files/${file.id}`)).body.data.progress.embedded
      await expect.poll(embedded, { timeout: 60_000 }).toBe(1)
    }, 90_000)

    it("that extract text do not make the document count as unreadable", async () => {
      gateway = await startGateway(database.env, { jobRetryMs: 50 })
      const lines = Array.from({ length: 200_000 }, (_, n) => `Line ${n} tells of bees and honey.`)
      const { body: file } = await upload(gateway, "long.txt", lines.join("\n"))
      await expect.poll(listExtractionProcesses, { timeout: 10_000, interval: 1 }).toHaveLength(1)
      for (const pid of listExtractionProcesses()) process.kill(pid, "SIGKILL")
      const status = async () =>
        (await gateway.call("GET", `/api/v1/files/${file.id}`)).body.data.status
      await expect.poll(status, { timeout: 50_000 }).toMatch(/completed|failed/)
      expect(await status()).toBe("completed")
    }, 60_000)
  },
)

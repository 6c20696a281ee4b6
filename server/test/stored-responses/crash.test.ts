import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway } from "../harness/gateway.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const script = fileURLToPath(new URL("save-until-killed.ts", import.meta.url))

describe.each(chooseDatabases())("a gateway killed on $name", ({ createDatabase }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.remove())

  it("keeps every response that was stored", async () => {
    const first = await startGateway(database.env)
    const { id, key } = await first.createUser("Bob")
    await first.stop()

    const env = {
      PATH: process.env.PATH,
      OLLAMA_BASE_URLS: ";",
      INSTALL_GUIDE: "false",
      SECRET_KEY: "a secret key for the tests, long enough",
      ...database.env,
      USER_ID: id,
    }
    const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] })
    let last = ""
    let stored = 0
    for await (const line of createInterface({ input: child.stdout })) {
      last = line
      stored += 1
      if (stored === 50) child.kill("SIGKILL")
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    expect(stored).toBeGreaterThanOrEqual(50)

    const second = await startGateway(database.env)
    const get = await second.call("GET", `/v1/responses/${last}`, undefined, { key })
    expect([get.status, get.body.id]).toEqual([200, last])
    const history = await second.gateway.storedResponses.readHistory(id, last)
    expect(history).toHaveLength(2 * stored)
    await second.stop()
  })
})

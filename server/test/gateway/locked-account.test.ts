import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openDatabase } from "../../src/db/open.ts"
import { userLock } from "../../src/users/user-lock.ts"
import { postgresDatabase, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

/** More than the pool has connections. */
const administrators = 12

const postgres = postgresDatabase

describe.runIf(postgres)("an account that another process holds locked", () => {
  let database: TestDatabase
  let gateway: TestGateway
  beforeEach(async () => {
    if (!postgres) throw new Error("PostgreSQL is not available")
    database = await postgres.createDatabase()
    gateway = await startGateway(database.env)
  })
  afterEach(async () => {
    await gateway.stop()
    await database.remove()
  })

  const createAdministrator = async (_: unknown, n: number): Promise<string> => {
    const account = { name: "Ada", email: `ada${n}@example.com`, password: "correct horse battery" }
    await gateway.call("POST", "/api/v1/auths/add", { ...account, role: "admin" })
    return (await gateway.call("POST", "/api/v1/auths/signin", account)).body.token
  }

  it.each([
    ["update", { name: "Renamed" }, 200],
    ["release", undefined, 409],
  ])("takes no connections from others while many wait to %s it", async (action, body, status) => {
    const keys = await Promise.all(Array.from({ length: administrators }, createAdministrator))
    const { id } = await gateway.createUser("Max")
    const otherProcess = await openDatabase({ DATABASE_URL: database.url, DATA_DIR: "" })
    const change = (key: string) =>
      gateway.call("POST", `/api/v1/users/${id}/${action}`, body, { key })
    const changes = await otherProcess.transactLocked([userLock(id)], async () => {
      const pending = keys.map(change)
      // Each administrator's request is answered, while all of them wait.
      for (const key of keys) {
        const read = await gateway.call("GET", "/api/v1/chats/", undefined, { key })
        expect(read.status).toBe(200)
      }
      return { pending }
    })
    const statuses = (await Promise.all(changes.pending)).map((changed) => changed.status)
    expect(statuses).toEqual(keys.map(() => status))
    await otherProcess.close()
  })
})

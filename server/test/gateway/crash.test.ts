import { existsSync } from "node:fs"
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import type { Reader } from "../../src/db/database.ts"
import { openWithoutTimeout } from "../../src/db/postgres.ts"
import { openSqliteSnapshot } from "../../src/db/sqlite.ts"
import { databasePath } from "../../src/db/sqlite-file.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type Place } from "../harness/databases.ts"
import { adminKey } from "../harness/gateway.ts"
import { killAll } from "../harness/gateway-process.ts"
import { type ServerProcess, spawnServer, startServer } from "../harness/process.ts"
import { waitForModels } from "../models/wait-for-models.ts"

interface Acknowledged {
  accounts: Set<string>
  groups: Set<string>
  models: Set<string>
  /** The keys' secrets. */
  keys: Set<string>
  revoked: Set<string>
}

const newDone = (): Acknowledged => ({
  accounts: new Set(),
  groups: new Set(),
  models: new Set(),
  keys: new Set(),
  revoked: new Set(),
})

/** Creates keys and revokes some; until the response arrives, the outcome is unknown. */
const makeKeys = async ({ call }: ServerProcess, name: string, done: Acknowledged) => {
  const kept = await call("POST", "/api/v1/auths/api_keys", { name })
  if (kept.status === 200) done.keys.add(kept.body.api_key)
  const brief = await call("POST", "/api/v1/auths/api_keys", { name })
  const gone = await call("DELETE", `/api/v1/auths/api_keys/${brief.body.id}`)
  if (gone.status === 200) done.revoked.add(brief.body.api_key)
}

/** One writer: creates users, groups, models and keys until the gateway is killed. */
const write = async (server: ServerProcess, writer: string, done: Acknowledged): Promise<void> => {
  const { call } = server
  for (let n = 0; ; n++) {
    const name = `${writer}-${n}`
    const model = { id: name, name, base_model_id: "gpt-fake" }
    const made = await call("POST", "/api/v1/models/create", model)
    if (made.status === 200) done.models.add(name)
    const group = await call("POST", "/api/v1/groups/create", { name })
    if (group.status === 200) done.groups.add(name)
    await makeKeys(server, name, done)
    if (n % 5 !== 0) continue
    const account = { name, email: `${name}@example.com`, password: "a password" }
    const added = await call("POST", "/api/v1/auths/add", account)
    if (added.status === 200) done.accounts.add(account.email)
  }
}

const all = async (server: ServerProcess, path: string, field: string): Promise<Set<string>> => {
  const found = new Set<string>()
  for (let page = 1; ; page++) {
    const { body } = await server.call("GET", `${path}?page=${page}&page_size=200`)
    for (const item of body.items) found.add(item[field])
    if (found.size >= body.total || body.items.length === 0) return found
  }
}

const expectAllThere = async (server: ServerProcess, done: Acknowledged): Promise<void> => {
  const accounts = await all(server, "/api/v1/users/", "email")
  expect([...done.accounts].filter((email) => !accounts.has(email))).toEqual([])
  const groups = await all(server, "/api/v1/groups/", "name")
  expect([...done.groups].filter((name) => !groups.has(name))).toEqual([])
  const models = await all(server, "/api/v1/models/list", "id")
  expect([...done.models].filter((id) => !models.has(id))).toEqual([])
  for (const [keys, expected] of [
    [done.keys, 200],
    [done.revoked, 401],
  ] as const) {
    for (const key of [...keys].slice(-20)) {
      expect((await server.call("GET", "/api/v1/auths/", undefined, key)).status).toBe(expected)
    }
  }
}

/**
 * Even after a kill during a write, every change has its audit event, and every event its change.
 */
const expectTrailAgrees = async (server: ServerProcess): Promise<void> => {
  const headers = { authorization: `Bearer ${adminKey}` }
  const exported = await fetch(`${server.url}/api/v1/audit/export`, { headers })
  const lines = (await exported.text()).trim().split("\n")
  const events: { action: string; target_id: string }[] = lines.map((line) => JSON.parse(line))
  const idsOf = (action: string): string[] =>
    events.filter((event) => event.action === action).map(({ target_id }) => target_id)
  for (const [action, path] of [
    ["group.created", "/api/v1/groups/"],
    ["user.created", "/api/v1/users/"],
    ["model.created", "/api/v1/models/list"],
  ] as const) {
    const there = await all(server, path, "id")
    expect([action, idsOf(action).toSorted()]).toEqual([action, [...there].toSorted()])
  }
  const revoked = new Set(idsOf("key.revoked"))
  const kept = idsOf("key.created").filter((id) => !revoked.has(id))
  const { body: keys } = await server.call("GET", "/api/v1/auths/api_keys")
  expect(kept.toSorted()).toEqual(keys.map(({ id }: { id: string }) => id).toSorted())
}

/** Observes the first migration, one transaction, of a database that a gateway is creating. */
interface MigrationWatch {
  isRunning(): Promise<boolean>
  isComplete(): Promise<boolean>
  close(): Promise<void>
}

const isRecorded = async (db: Reader): Promise<boolean> =>
  sql`select name from kysely_migration`.execute(db).then(
    ({ rows }) => rows.length > 0,
    // The table does not exist yet.
    () => false,
  )

const watchPostgres = (url: string): MigrationWatch => {
  const db = openWithoutTimeout(url)
  const creating = sql`select 1 from pg_stat_activity
    where datname = current_database() and query like 'create %' and query not like '%kysely%'`
  return {
    isRunning: async () => (await creating.execute(db)).rows.length > 0,
    isComplete: () => isRecorded(db),
    close: () => db.destroy(),
  }
}

/** Whether SQLite accepts the statements that `use` executes on the file. */
const accepts = (
  path: string,
  options: DatabaseSyncOptions,
  use: (database: DatabaseSync) => unknown,
): boolean => {
  const database = new DatabaseSync(path, options)
  try {
    use(database)
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}

const hasMigrationTable = (path: string): boolean =>
  accepts(path, { readOnly: true }, (database) =>
    database.prepare("select name from kysely_migration"),
  )

/**
 * True during the migration: only a long transaction holds the lock for longer than the timeout.
 */
const isLocked = (path: string): boolean =>
  !accepts(path, { timeout: 10 }, (database) => database.exec("begin immediate; rollback"))

const watchSqlite = (dataDir: string): MigrationWatch => {
  const path = databasePath(dataDir)
  // Opening the file before its write-ahead log exists could interfere with its creation.
  const exists = (): boolean => existsSync(`${path}-wal`)
  return {
    isRunning: async () => exists() && hasMigrationTable(path) && isLocked(path),
    isComplete: async () => {
      if (!exists()) return false
      const db = openSqliteSnapshot(path)
      return isRecorded(db).finally(() => db.destroy())
    },
    close: async () => {},
  }
}

/** On SQLite, the gateway generates its own secret key. */
const environmentOf = ({ url, env }: Place): Record<string, string> =>
  url === undefined ? { ...env, SECRET_KEY: "" } : env

/** Kills a gateway during its first migration. @returns false if the migration finished before */
const killInMigration = async (home: Place): Promise<boolean> => {
  const migration = home.url === undefined ? watchSqlite(home.dataDir) : watchPostgres(home.url)
  const { child, ended } = spawnServer(environmentOf(home))
  while (!(await migration.isRunning()) && !(await migration.isComplete())) await sleep(2)
  child.kill("SIGKILL")
  await ended
  return !(await migration.isComplete().finally(migration.close))
}

afterAll(killAll)

describe.each(chooseDatabases())("kill -9 on $name", ({ place }) => {
  it("loses no acknowledged write during a burst of writes", async () => {
    const home = await place()
    const upstream = await startFakeOpenAI()
    const env = { ...home.env, OPENAI_API_BASE_URLS: upstream.url }
    const done = newDone()
    for (const round of ["first", "second"]) {
      const server = await startServer(env)
      await waitForModels(server, ["gpt-fake"])
      const writers = ["a", "b", "c", "d"].map((name) =>
        write(server, `${round}-${name}`, done).catch(() => {}),
      )
      const before = done.groups.size
      // On a busy machine, a few are enough.
      for (let n = 0; n < 100 && done.groups.size - before < 30; n++) await sleep(50)
      server.child.kill("SIGKILL")
      expect(await server.ended).toBe("SIGKILL")
      await Promise.all(writers)
    }
    expect([done.accounts.size, done.revoked.size].every((size) => size > 0)).toBe(true)
    const server = await startServer(env)
    await expectAllThere(server, done)
    await expectTrailAgrees(server)
    server.child.kill("SIGTERM")
    expect(await server.ended).toBe(0)
    await upstream.close()
    await home.remove()
  }, 120_000)

  it("during the first migration leaves a database with which the gateway starts", async () => {
    let home = await place()
    // On a busy machine, the migration may be noticed too late; then retry with another database.
    for (let attempt = 1; !(await killInMigration(home)); attempt++) {
      expect(attempt, "starts whose migration was never seen to run").toBeLessThan(4)
      await home.remove()
      home = await place()
    }
    const server = await startServer(environmentOf(home))
    expect((await server.call("GET", "/api/v1/users/")).body.total).toBe(1)
    server.child.kill("SIGTERM")
    expect(await server.ended).toBe(0)
    await home.remove()
  }, 120_000)
})

import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

/** More than the gateway has connections to PostgreSQL. */
const requestCount = 30

/** For each kind of object, the request that adds one. */
const additions = {
  chats: { path: "/api/v1/chats/new", body: () => ({}) },
  collections: { path: "/api/v1/knowledge/create", body: () => ({ name: "Zoo" }) },
}

describe.each(chooseDatabases())("waiting on $name", ({ name, createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let client: pg.Client
  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env)
    client = new pg.Client({ connectionString: database.env.DATABASE_URL })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await gateway.stop()
    await database.remove()
  })

  // Only with PostgreSQL can another process hold the lock.
  it.runIf(name === "PostgreSQL").each(Object.entries(additions))(
    "for one user's lock on %s leaves connections to others",
    async (table, { path, body }) => {
      const bob = await gateway.createUser(`Bob ${table}`)
      const eve = await gateway.createUser(`Eve ${table}`)
      const lock = [`portico:rows:${table}:${bob.id}`]
      await client.query("select pg_advisory_lock(hashtextextended($1, 0))", lock)
      const adding = Array.from({ length: requestCount }, () =>
        gateway.call("POST", path, body(), { key: bob.key }),
      )
      await expect
        .poll(async () => {
          const text = "select count(*)::int as waiting from pg_locks where not granted"
          return (await client.query(text)).rows[0].waiting
        })
        .toBeGreaterThan(0)
      const read = await gateway.call("GET", "/api/v1/chats", undefined, { key: eve.key })
      const write = await gateway.call("POST", "/api/v1/chats/new", {}, { key: eve.key })
      await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", lock)
      const added = await Promise.all(adding)
      expect([read.status, write.status]).toEqual([200, 200])
      expect(added.map(({ status }) => status)).toEqual(added.map(() => 200))
    },
  )
})

import { hash } from "node:crypto"
import { type Kysely, sql } from "kysely"
import { describe, expect, it, vi } from "vitest"
import { openPostgresWithoutTimeout } from "../../src/db/postgres.ts"
import type { Tables } from "../../src/db/tables.ts"
import { createOldDatabase } from "../db/old-database.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminEmail, adminKey, startGateway } from "../harness/gateway.ts"

vi.setConfig({ testTimeout: 60_000 })

const insertKey = (id: string, secret: string): string =>
  `insert into api_keys (id, user_id, name, hash, hint, created_at)
    values ('${id}', 'u', 'test', '${hash("sha256", secret)}', '6789', 0)`

const insertUserWithKeys = async (db: Kysely<Tables>): Promise<void> => {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`insert into users (id, email, email_key, name, name_key, role, active, source, created_ms, updated_ms)
    values ('u', '${adminEmail}', '${adminEmail}', 'Ada', 'ada', 'admin', 1, 'local', 0, 0)`)
  await run(insertKey("kept", adminKey))
  await run(insertKey("revoked", "sk-revoked"))
}

/** Waits until a statement of another connection waits for a lock of this one's database. */
const somethingWaits = (db: Kysely<Tables>) =>
  expect
    .poll(
      async () => {
        const waiting = sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ilike '%api_keys%'`
        return (await waiting.execute(db)).rows.length
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0)

describe.each(chooseDatabases())("a database from before service keys on $name", (databases) => {
  it("keeps its keys, and what an older process changes during the migration", async () => {
    const database = await databases.createDatabase({ migrated: false })
    const older = database.url ? openPostgresWithoutTimeout(database.url) : undefined
    try {
      await createOldDatabase(database, "0038-service-keys", insertUserWithKeys)
      const starting = older
        ? older.transaction().execute(async (tx) => {
            await sql`delete from api_keys where id = 'revoked'`.execute(tx)
            await sql.raw(insertKey("created", "sk-created")).execute(tx)
            const started = startGateway(database.env)
            await somethingWaits(older)
            return { started }
          })
        : { started: startGateway(database.env) }
      const gateway = await (await starting).started
      try {
        const { items } = (await gateway.call("GET", "/api/v1/keys?order_by=created_at")).body
        const ids = items.map(({ id }: { id: string }) => id).sort()
        expect(ids).toEqual(older ? ["created", "kept"] : ["kept", "revoked"])
        const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "G" })
        const key = await gateway.call("POST", `/api/v1/groups/${group.id}/keys`, {})
        expect(key.status).toBe(200)
        const nobody = { group_id: null, id: "nobody's" }
        const update = gateway.gateway.db.transact((tx) =>
          tx.updateTable("api_keys").set(nobody).where("id", "=", key.body.id).execute(),
        )
        await expect(update).rejects.toThrow(/constraint/i)
      } finally {
        await gateway.stop()
      }
    } finally {
      await older?.destroy()
      await database.remove()
    }
  })
})

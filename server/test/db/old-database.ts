import { readdirSync } from "node:fs"
import type { Kysely } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { openPostgresWithoutTimeout } from "../../src/db/postgres.ts"
import { openSqlite } from "../../src/db/sqlite.ts"
import type { Tables } from "../../src/db/tables.ts"
import { createTestBackground } from "../harness/background.ts"
import type { TestDatabase } from "../harness/databases.ts"

const migrationsFolder = new URL("../../src/db/migrations/", import.meta.url)

const migrationsBefore = async (name: string): Promise<Record<string, Migration>> => {
  const names = readdirSync(migrationsFolder).map((file) => file.replace(/\.ts$/, ""))
  const earlier = names.filter((other) => other < name)
  return Object.fromEntries(
    await Promise.all(
      earlier.map(async (other) => [
        other,
        await import(new URL(`${other}.ts`, migrationsFolder).href),
      ]),
    ),
  )
}

/** Creates a database with the schema before the migration `name`, and lets `fill` write to it. */
export const createOldDatabase = async (
  { dataDir, url }: Pick<TestDatabase, "dataDir" | "url">,
  name: string,
  fill: (db: Kysely<Tables>) => Promise<void>,
): Promise<void> => {
  const embedded = url === undefined ? openSqlite(dataDir, createTestBackground()) : undefined
  const db = embedded?.writer ?? openPostgresWithoutTimeout(url ?? "")
  const getMigrations = () => migrationsBefore(name)
  const migrator = new Migrator({ db, provider: { getMigrations } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
  await fill(db)
  await (embedded ? embedded.close() : db.destroy())
}

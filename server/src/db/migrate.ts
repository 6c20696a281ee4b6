import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { isOutage } from "./outages.ts"
import type { Tables } from "./tables.ts"

const folder = join(import.meta.dirname, "migrations")

const toMigration = (file: string): Migration => ({
  // Loaded when it is applied: most starts apply none, and loading all takes 30 ms.
  up: async (db) => {
    const { up }: Migration = await import(pathToFileURL(join(folder, file)).href)
    await up(db)
  },
})

/** Every file in `migrations`, by its name without the extension. */
const provider = {
  getMigrations: async (): Promise<Record<string, Migration>> => {
    const files = await readdir(folder)
    return Object.fromEntries(files.map((file) => [basename(file, ".ts"), toMigration(file)]))
  },
}

/** Migrations applied to the database that this version does not know. */
const findUnknownMigrations = async (writer: Kysely<Tables>): Promise<string[]> => {
  const known = await provider.getMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(writer)
    .catch(() => ({ rows: [] }))
  return rows.map(({ name }) => name).filter((name) => !(name in known))
}

/** Reports which migrations an existing database is about to receive. */
const reportPending = async (
  migrator: Migrator,
  report: (message: string) => void,
): Promise<void> => {
  const known = await migrator.getMigrations()
  const pending = known.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
  if (pending.length === 0 || pending.length === known.length) return
  report(
    `Migrating the database (${pending.join(", ")}). This can take minutes for a large database.`,
  )
}

/**
 * Applies pending migrations. Several processes may call it concurrently: the migrator takes a lock
 * in the database.
 * @param report receives the list of pending migrations of an existing database
 * @throws if a migration fails, or if the database is newer than this program
 */
export const migrate = async (
  writer: Kysely<Tables>,
  report: (message: string) => void,
): Promise<void> => {
  const migrator = new Migrator({
    db: writer,
    provider,
    // Migrations are developed in parallel, so one with a lower number may arrive later.
    allowUnorderedMigrations: true,
  })
  await reportPending(migrator, report)
  const { error, results } = await migrator.migrateToLatest()
  if (!error) return
  if (isOutage(error)) throw error
  const unknown = await findUnknownMigrations(writer)
  if (unknown.length > 0) {
    throw new Error(
      `The database was migrated by a newer version of Portico (unknown migrations: ${unknown.join(", ")}). ` +
        "Start that version or a newer one, or restore a backup from before the upgrade.",
    )
  }
  const failed = results?.find(({ status }) => status === "Error")?.migrationName
  throw new Error(failed ? `Migration ${failed} failed` : "The database could not be migrated", {
    cause: error,
  })
}

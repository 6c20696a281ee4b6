import pg from "pg"
import { inject } from "vitest"
import type { Database } from "../../src/db/database.ts"
import { openDatabase } from "../../src/db/open.ts"
import { createPostgresDatabase } from "../setup/postgres.ts"

const server = inject("pgvectorUrl")

/** Whether a PostgreSQL server with pgvector is available; CI always has one. */
export const hasPgvector = server !== ""

/**
 * Opens a new database on a server with pgvector.
 * @param disabledPlans planner settings to turn off, such as `enable_seqscan`
 */
export const openWithPgvector = async ({
  disabledPlans = [],
}: {
  disabledPlans?: readonly string[]
} = {}): Promise<{ db: Database; remove: () => Promise<void> }> => {
  const { url, drop } = await createPostgresDatabase(server)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const name = client.escapeIdentifier(new URL(url).pathname.slice(1))
  for (const plan of disabledPlans) await client.query(`alter database ${name} set ${plan} = off`)
  await client.end()
  const db = await openDatabase({ DATABASE_URL: url, DATA_DIR: "" })
  return {
    db,
    remove: async () => {
      await db.close()
      await drop()
    },
  }
}

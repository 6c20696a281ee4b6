import { sql } from "kysely"
import type { Database } from "../../src/db/database.ts"

/** Hides a table, so that reading it fails. @returns a function that brings it back */
export const hideTable = async (db: Database, name: string): Promise<() => Promise<unknown>> => {
  const hidden = `hidden_${name}`
  const rename = (from: string, to: string) =>
    db.runWithoutTimeout((writer) =>
      sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(writer),
    )
  await rename(name, hidden)
  return () => rename(hidden, name)
}

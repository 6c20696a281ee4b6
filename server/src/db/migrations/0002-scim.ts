import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"
import { foldCase } from "../fold-case.ts"

/** An account's case-folded names, which filters and sorting compare. */
const foldedNames = ["given_name", "family_name", "display_name", "nick_name"] as const

type Names = Record<(typeof foldedNames)[number], string | null>

const fold = async (db: Kysely<unknown>): Promise<void> => {
  const { rows } = await sql<Names & { id: string }>`
    select id, given_name, family_name, display_name, nick_name from users
  `.execute(db)
  for (const { id, ...names } of rows) {
    const keys = foldedNames.map((name) => {
      const value = names[name]
      return sql`${sql.ref(`${name}_key`)} = ${value === null ? null : foldCase(value)}`
    })
    await sql`update users set ${sql.join(keys)} where id = ${id}`.execute(db)
  }
  // Only "work" has been written so far, which is already folded.
  await sql`update user_emails set type_key = type`.execute(db)
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  for (const name of foldedNames) {
    await db.schema.alterTable("users").addColumn(`${name}_key`, text).execute()
  }
  await db.schema
    .alterTable("users")
    .addColumn("hidden", integer, (column) => column.notNull().defaultTo(0))
    .execute()
  // Counts and pages of all users read only this index; filters never choose it.
  await sql`create index users_visible on users (id) where hidden = 0`.execute(db)
  await db.schema.alterTable("user_emails").addColumn("type_key", text).execute()
  await db.schema.alterTable("user_emails").addColumn("display", text).execute()
  await db.schema.alterTable("user_emails").addColumn("display_key", text).execute()
  await db.schema.alterTable("audit_events").addColumn("ignored", text).execute()
  await fold(db)
}

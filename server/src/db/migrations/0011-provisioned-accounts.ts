import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"

/** SCIM reports times in milliseconds; existing rows have whole seconds. */
const inMilliseconds = async (db: Kysely<unknown>, table: "users" | "groups"): Promise<void> => {
  for (const name of ["created", "updated"]) {
    await db.schema.alterTable(table).renameColumn(`${name}_at`, `${name}_ms`).execute()
    const column = sql.ref(`${name}_ms`)
    await sql`update ${sql.table(table)} set ${column} = ${column} * 1000`.execute(db)
  }
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await inMilliseconds(db, "users")
  await inMilliseconds(db, "groups")
  await db.schema
    .alterTable("users")
    .addColumn("external_id_fixed", integer, (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable("users").addColumn("fixed_external_id", text).execute()
  await sql`
    update users set external_id_fixed = 1, fixed_external_id = external_id
    where deleted_at is not null
  `.execute(db)
}

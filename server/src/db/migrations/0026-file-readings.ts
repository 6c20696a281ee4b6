import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds how a file's text was read, and separates its embedding from its status. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  const files = () => db.schema.alterTable("files")
  for (const [name, value] of [
    ["reader_version", 1],
    ["attempted_reader_version", 1],
    ["text_revision", 0],
  ] as const) {
    await files()
      .addColumn(name, integer, (column) => column.notNull().defaultTo(value))
      .execute()
  }
  await files()
    .addColumn("warnings", text, (column) => column.notNull().defaultTo("[]"))
    .execute()
  await files().addColumn("encoding", text).execute()
  await files().addColumn("embedding", text).execute()
  await sql`update files set status = 'completed', embedding = 'pending'
    where status = 'processing' and passages is not null`.execute(db)
  await db.schema
    .createIndex("files_attempted_reader_version")
    .on("files")
    .column("attempted_reader_version")
    .execute()
}

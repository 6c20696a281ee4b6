import { randomUUIDv7 } from "node:crypto"
import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"
import { foldCase } from "../fold-case.ts"

type Old = {
  chats: { user_id: string; folder: string | null; created_at: number }
  projects: {
    id: string
    user_id: string
    name: string
    name_key: string
    instructions: string
    files: string
    created_at: number
    updated_at: number
  }
}

/** Each folder in use becomes a project. */
const convertFolders = async (db: Kysely<Old>): Promise<void> => {
  const folders = await db
    .selectFrom("chats")
    .select(({ fn }) => ["user_id", "folder", fn.min("created_at").as("created_at")])
    .where("folder", "is not", null)
    .groupBy(["user_id", "folder"])
    .execute()
  for (const { user_id, folder, created_at } of folders) {
    if (folder === null) continue
    await db
      .insertInto("projects")
      .values({
        id: randomUUIDv7(),
        user_id,
        name: folder,
        name_key: foldCase(folder),
        instructions: "",
        files: "[]",
        created_at,
        updated_at: created_at,
      })
      .execute()
  }
}

/** Adds projects, and the key by which a chat that was imported before is recognized. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("projects")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("name_key", text, (column) => column.notNull())
    .addColumn("instructions", text, (column) => column.notNull())
    .addColumn("model", text)
    .addColumn("files", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("projects_name")
    .on("projects")
    .columns(["user_id", "name"])
    .unique()
    .execute()
  await convertFolders(db.withTables<Old>())
  await db.schema.alterTable("chats").addColumn("import_key", text).execute()
  await db.schema
    .createIndex("chats_import")
    .on("chats")
    .columns(["user_id", "import_key"])
    .where(sql<boolean>`import_key is not null`)
    .execute()
}

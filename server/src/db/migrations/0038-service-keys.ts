import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"

const addIndex = (db: Kysely<unknown>, column: string) =>
  db.schema.createIndex(`api_keys_${column}`).on("api_keys").column(`${column}_id`).execute()

/** Lets API keys belong to a group instead of a user, and gives members of groups a role. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  // SQLite cannot make a column nullable.
  await db.schema
    .createTable("new_api_keys")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) => column.references("users.id").onDelete("cascade"))
    .addColumn("group_id", text, (column) => column.references("groups.id").onDelete("cascade"))
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("hint", text, (column) => column.notNull())
    .addColumn("allowed_models", text)
    .addColumn("allowed_routes", text)
    .addColumn("expires_at", integer)
    .addColumn("last_used_at", integer)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addCheckConstraint("api_keys_owner", sql`(user_id is null) <> (group_id is null)`)
    .execute()
  const columns = sql.raw(
    "id, user_id, name, hash, hint, allowed_models, allowed_routes, expires_at, last_used_at, created_at",
  )
  await sql`insert into new_api_keys (${columns}) select ${columns} from api_keys`.execute(db)
  await db.schema.dropTable("api_keys").execute()
  await db.schema.alterTable("new_api_keys").renameTo("api_keys").execute()
  await addIndex(db, "user")
  await addIndex(db, "group")
  await db.schema
    .alterTable("group_members")
    .addColumn("role", text, (column) => column.notNull().defaultTo("member"))
    .execute()
}

import { type Kysely, sql } from "kysely"
import { columnTypes, isPostgres } from "../column-types.ts"

const constraint = "api_keys_owner"
const hasOneOwner = sql<boolean>`(user_id is null) <> (group_id is null)`

const addIndex = (db: Kysely<unknown>, column: string) =>
  db.schema.createIndex(`api_keys_${column}`).on("api_keys").column(`${column}_id`).execute()

/**
 * In place: a process of the previous version may create and revoke keys meanwhile, which a copy of
 * the table would undo.
 */
const changeTable = async (db: Kysely<unknown>): Promise<void> => {
  const { text } = columnTypes(db)
  await db.schema
    .alterTable("api_keys")
    .alterColumn("user_id", (column) => column.dropNotNull())
    .execute()
  await db.schema
    .alterTable("api_keys")
    .addColumn("group_id", text, (column) => column.references("groups.id").onDelete("cascade"))
    .execute()
  await db.schema.alterTable("api_keys").addCheckConstraint(constraint, hasOneOwner).execute()
}

/** SQLite cannot make a column nullable; only one process has the file open. */
const copyTable = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
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
    .addCheckConstraint(constraint, hasOneOwner)
    .execute()
  const columns = sql.raw(
    "id, user_id, name, hash, hint, allowed_models, allowed_routes, expires_at, last_used_at, created_at",
  )
  await sql`insert into new_api_keys (${columns}) select ${columns} from api_keys`.execute(db)
  await db.schema.dropTable("api_keys").execute()
  await db.schema.alterTable("new_api_keys").renameTo("api_keys").execute()
  await addIndex(db, "user")
}

/** Lets API keys belong to a group instead of a user, and gives members of groups a role. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await (isPostgres(db) ? changeTable(db) : copyTable(db))
  await addIndex(db, "group")
  const { text } = columnTypes(db)
  await db.schema
    .alterTable("group_members")
    .addColumn("role", text, (column) => column.notNull().defaultTo("member"))
    .execute()
}

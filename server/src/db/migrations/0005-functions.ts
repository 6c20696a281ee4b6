import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

const functions = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("functions")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("is_active", integer, (column) => column.notNull())
    .addColumn("meta", text, (column) => column.notNull())
    .addColumn("hosts", text, (column) => column.notNull())
    .addColumn("filter_models", text, (column) => column.notNull())
    .addColumn("filter_order", integer, (column) => column.notNull())
    .addColumn("sealed_values", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("function_versions")
    .addColumn("function_id", text, (column) =>
      column.notNull().references("functions.id").onDelete("cascade"),
    )
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("content", text, (column) => column.notNull())
    .addColumn("code", text, (column) => column.notNull())
    .addColumn("manifest", text, (column) => column.notNull())
    .addColumn("user_id", text, (column) => column.notNull())
    .addColumn("restored_from", integer)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("function_versions_key", ["function_id", "version"])
    .execute()
}

const runs = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("function_runs")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("function_id", text, (column) =>
      column.notNull().references("functions.id").onDelete("cascade"),
    )
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("task", text, (column) => column.notNull())
    .addColumn("user_id", text, (column) => column.notNull())
    .addColumn("trial", integer, (column) => column.notNull())
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("message", text)
    .addColumn("line", integer)
    .addColumn("column_number", integer)
    .addColumn("duration_ms", integer, (column) => column.notNull())
    .addColumn("first_output_ms", integer)
    .addColumn("cpu_ms", integer, (column) => column.notNull())
    .addColumn("memory_bytes", integer, (column) => column.notNull())
    .addColumn("output_bytes", integer, (column) => column.notNull())
    .addColumn("log", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("function_runs_function")
    .on("function_runs")
    .columns(["function_id", "id"])
    .execute()
  await db.schema
    .createTable("function_items")
    .addColumn("function_id", text, (column) =>
      column.notNull().references("functions.id").onDelete("cascade"),
    )
    .addColumn("key", text, (column) => column.notNull())
    .addColumn("value", text, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("function_items_key", ["function_id", "key"])
    .execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await functions(db)
  await runs(db)
}

import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the questions that a collection must answer, and the runs that check them. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer, number } = columnTypes(db)
  await db.schema
    .createTable("collection_questions")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("collection_id", text, (column) =>
      column.notNull().references("collections.id").onDelete("cascade"),
    )
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("question", text, (column) => column.notNull())
    .addColumn("previous", text, (column) => column.notNull())
    .addColumn("file_id", text)
    .addColumn("filename", text, (column) => column.notNull())
    .addColumn("quotation", text, (column) => column.notNull())
    .addColumn("note", text, (column) => column.notNull())
    .addColumn("revision", integer, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("result", text)
    .addColumn("result_before", text)
    .addColumn("reached_at", integer)
    .addColumn("pending_run_id", text)
    .addColumn("pending_result", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("collection_questions_order")
    .on("collection_questions")
    .columns(["collection_id", "position", "id"])
    .execute()
  await db.schema
    .createTable("question_runs")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("collection_id", text, (column) =>
      column.notNull().references("collections.id").onDelete("cascade"),
    )
    .addColumn("reason", text, (column) => column.notNull())
    .addColumn("fingerprint", text)
    .addColumn("finished_at", integer)
    .addColumn("outcome", text)
    .addColumn("error", text)
    .addColumn("is_partial", integer, (column) => column.notNull())
    .addColumn("total", integer, (column) => column.notNull())
    .addColumn("reached", integer, (column) => column.notNull())
    .addColumn("lost", integer, (column) => column.notNull())
    .addColumn("mean_rank", number)
    .execute()
  await db.schema
    .createIndex("question_runs_collection")
    .on("question_runs")
    .columns(["collection_id", "id"])
    .execute()
}

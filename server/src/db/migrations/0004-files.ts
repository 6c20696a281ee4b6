import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

const files = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("files")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("hash", text, (column) => column.notNull())
    .addColumn("filename", text, (column) => column.notNull())
    .addColumn("filename_key", text, (column) => column.notNull())
    .addColumn("content_type", text, (column) => column.notNull())
    .addColumn("size", integer, (column) => column.notNull())
    .addColumn("metadata", text, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("error", text)
    .addColumn("text_length", integer)
    .addColumn("pages", integer)
    .addColumn("passages", integer)
    .addColumn("format", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema.createIndex("files_user").on("files").columns(["user_id", "created_at"]).execute()
  await db.schema.createIndex("files_hash").on("files").column("hash").execute()
  await db.schema
    .createTable("file_texts")
    .addColumn("file_id", text, (column) =>
      column.primaryKey().references("files.id").onDelete("cascade"),
    )
    .addColumn("text", text, (column) => column.notNull())
    .execute()
}

const passages = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer, bytes } = columnTypes(db)
  await db.schema
    .createTable("passages")
    .addColumn("file_id", text, (column) =>
      column.notNull().references("files.id").onDelete("cascade"),
    )
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("starts", integer, (column) => column.notNull())
    .addColumn("ends", integer, (column) => column.notNull())
    .addColumn("text", text, (column) => column.notNull())
    .addColumn("place", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("passages_key", ["file_id", "position"])
    .execute()
  await db.schema
    .createTable("file_words")
    .addColumn("file_id", text, (column) =>
      column.primaryKey().references("files.id").onDelete("cascade"),
    )
    .addColumn("data", bytes, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("vector_spaces")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("model", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("dimensions", integer)
    .addColumn("created_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("vector_batches")
    .addColumn("file_id", text, (column) =>
      column.notNull().references("files.id").onDelete("cascade"),
    )
    .addColumn("space_id", text, (column) =>
      column.notNull().references("vector_spaces.id").onDelete("cascade"),
    )
    .addColumn("first", integer, (column) => column.notNull())
    .addColumn("count", integer, (column) => column.notNull())
    .addColumn("coarse", bytes, (column) => column.notNull())
    .addColumn("exact", bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("vector_batches_key", ["file_id", "space_id", "first"])
    .execute()
  await db.schema
    .createIndex("vector_batches_space")
    .on("vector_batches")
    .column("space_id")
    .execute()
}

const collections = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("collections")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("name_key", text, (column) => column.notNull())
    .addColumn("description", text, (column) => column.notNull())
    .addColumn("search", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("collection_files")
    .addColumn("collection_id", text, (column) =>
      column.notNull().references("collections.id").onDelete("cascade"),
    )
    .addColumn("file_id", text, (column) =>
      column.notNull().references("files.id").onDelete("cascade"),
    )
    .addColumn("added_at", integer, (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint("collection_files_key", ["collection_id", "file_id"])
    .execute()
  await db.schema
    .createIndex("collection_files_file")
    .on("collection_files")
    .column("file_id")
    .execute()
}

const jobs = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("jobs")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("target", text, (column) => column.notNull())
    .addColumn("turn", text, (column) => column.notNull())
    .addColumn("attempts", integer, (column) => column.notNull())
    .addColumn("run_at", integer, (column) => column.notNull())
    .addColumn("lease_until", integer, (column) => column.notNull())
    .addColumn("holder", text)
    .addColumn("error", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addUniqueConstraint("jobs_target", ["kind", "target"])
    .execute()
  await db.schema.createIndex("jobs_due").on("jobs").columns(["kind", "run_at"]).execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await files(db)
  await passages(db)
  await collections(db)
  await jobs(db)
}

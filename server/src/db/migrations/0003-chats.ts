import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"

const chats = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("chats")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("title", text, (column) => column.notNull())
    .addColumn("title_key", text, (column) => column.notNull())
    .addColumn("title_source", text, (column) => column.notNull())
    .addColumn("folder", text)
    .addColumn("pinned", integer, (column) => column.notNull())
    .addColumn("archived", integer, (column) => column.notNull())
    .addColumn("shared", integer, (column) => column.notNull())
    .addColumn("models", text, (column) => column.notNull())
    .addColumn("system", text, (column) => column.notNull())
    .addColumn("params", text, (column) => column.notNull())
    .addColumn("current_id", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema.createIndex("chats_user").on("chats").columns(["user_id", "updated_at"]).execute()
  await db.schema
    .createTable("chat_tags")
    .addColumn("chat_id", text, (column) =>
      column.notNull().references("chats.id").onDelete("cascade"),
    )
    .addColumn("tag", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("chat_tags_key", ["chat_id", "tag"])
    .execute()
}

const messages = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("chat_messages")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("chat_id", text, (column) =>
      column.notNull().references("chats.id").onDelete("cascade"),
    )
    .addColumn("parent_id", text)
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("batch", text)
    .addColumn("role", text, (column) => column.notNull())
    .addColumn("model", text)
    .addColumn("content", text, (column) => column.notNull())
    .addColumn("content_key", text, (column) => column.notNull())
    .addColumn("reasoning", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("finish_reason", text)
    .addColumn("error", text)
    .addColumn("request_id", text)
    .addColumn("tokens_in", integer)
    .addColumn("tokens_out", integer)
    .addColumn("estimated", integer, (column) => column.notNull())
    .addColumn("time_to_first_token_ms", integer)
    .addColumn("duration_ms", integer)
    .addColumn("lease_until", integer)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("changed_ms", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("chat_messages_chat")
    .on("chat_messages")
    .columns(["chat_id", "position"])
    .unique()
    .execute()
  await db.schema
    .createIndex("chat_messages_running")
    .on("chat_messages")
    .column("lease_until")
    .where(sql<boolean>`state = 'running'`)
    .execute()
  await db.schema
    .createTable("chat_images")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("message_id", text, (column) =>
      column.notNull().references("chat_messages.id").onDelete("cascade"),
    )
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("media_type", text, (column) => column.notNull())
    .addColumn("base64", text, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("chat_images_message")
    .on("chat_images")
    .column("message_id")
    .execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await chats(db)
  await messages(db)
}

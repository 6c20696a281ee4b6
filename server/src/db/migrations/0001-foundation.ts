import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

const users = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("users")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("email", text, (column) => column.notNull())
    .addColumn("email_key", text, (column) => column.notNull().unique())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("name_key", text, (column) => column.notNull())
    .addColumn("given_name", text)
    .addColumn("family_name", text)
    .addColumn("display_name", text)
    .addColumn("nick_name", text)
    .addColumn("external_id", text)
    .addColumn("role", text, (column) => column.notNull())
    .addColumn("active", integer, (column) => column.notNull())
    .addColumn("source", text, (column) => column.notNull())
    .addColumn("password_hash", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addColumn("last_active_at", integer)
    .addColumn("deleted_at", integer)
    .execute()
  await db.schema.createIndex("users_external_id").on("users").column("external_id").execute()
  await db.schema
    .createTable("user_emails")
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("value", text, (column) => column.notNull())
    .addColumn("value_key", text, (column) => column.notNull())
    .addColumn("type", text)
    .addColumn("is_primary", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("user_emails_key", ["user_id", "position"])
    .execute()
  await db.schema.createIndex("user_emails_value").on("user_emails").column("value_key").execute()
}

const groups = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("groups")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("name_key", text, (column) => column.notNull().unique())
    .addColumn("description", text, (column) => column.notNull())
    .addColumn("external_id", text)
    .addColumn("source", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema.createIndex("groups_external_id").on("groups").column("external_id").execute()
  await db.schema
    .createTable("group_members")
    .addColumn("group_id", text, (column) =>
      column.notNull().references("groups.id").onDelete("cascade"),
    )
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addPrimaryKeyConstraint("group_members_key", ["group_id", "user_id"])
    .execute()
  await db.schema.createIndex("group_members_user").on("group_members").column("user_id").execute()
}

const credentials = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("api_keys")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("hint", text, (column) => column.notNull())
    .addColumn("allowed_models", text)
    .addColumn("allowed_routes", text)
    .addColumn("expires_at", integer)
    .addColumn("last_used_at", integer)
    .addColumn("created_at", integer, (column) => column.notNull())
    .execute()
  await db.schema.createIndex("api_keys_user").on("api_keys").column("user_id").execute()
  await db.schema
    .createTable("sessions")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("address", text)
    .addColumn("user_agent", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .addColumn("last_used_at", integer)
    .execute()
  await db.schema.createIndex("sessions_user").on("sessions").column("user_id").execute()
  await db.schema.createIndex("sessions_expiry").on("sessions").column("expires_at").execute()
  await db.schema
    .createTable("access_grants")
    .addColumn("resource_type", text, (column) => column.notNull())
    .addColumn("resource_id", text, (column) => column.notNull())
    .addColumn("principal_type", text, (column) => column.notNull())
    .addColumn("principal_id", text, (column) => column.notNull())
    .addColumn("permission", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("access_grants_key", [
      "resource_type",
      "resource_id",
      "principal_type",
      "principal_id",
      "permission",
    ])
    .execute()
  await db.schema
    .createIndex("access_grants_principal")
    .on("access_grants")
    .columns(["principal_type", "principal_id"])
    .execute()
}

const connections = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer, number } = columnTypes(db)
  await db.schema
    .createTable("connections")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("base_url", text, (column) => column.notNull())
    .addColumn("sealed_key", text)
    .addColumn("sealed_headers", text)
    .addColumn("id_prefix", text)
    .addColumn("allowed_models", text)
    .addColumn("connect_timeout", number)
    .addColumn("first_byte_timeout", number)
    .addColumn("idle_timeout", number)
    .addColumn("restricted", integer, (column) => column.notNull())
    .addColumn("enabled", integer, (column) => column.notNull())
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  // No foreign key: connections defined by environment variables have rows here too.
  await db.schema
    .createTable("connection_models")
    .addColumn("connection_id", text, (column) => column.primaryKey())
    .addColumn("models", text, (column) => column.notNull())
    .addColumn("fetched_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("models")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("base_model_id", text, (column) => column.notNull())
    .addColumn("meta", text, (column) => column.notNull())
    .addColumn("params", text, (column) => column.notNull())
    .addColumn("is_active", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
}

const records = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("settings")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("value", text, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("usage")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("user_id", text, (column) => column.notNull())
    .addColumn("key_id", text)
    .addColumn("operation", text, (column) => column.notNull())
    .addColumn("model", text, (column) => column.notNull())
    .addColumn("connection_id", text)
    .addColumn("streamed", integer, (column) => column.notNull())
    .addColumn("tokens_in", integer, (column) => column.notNull())
    .addColumn("tokens_out", integer, (column) => column.notNull())
    .addColumn("estimated", integer, (column) => column.notNull())
    .addColumn("time_to_first_token_ms", integer)
    .addColumn("duration_ms", integer, (column) => column.notNull())
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("status", integer, (column) => column.notNull())
    .addColumn("request_id", text, (column) => column.notNull())
    .execute()
  await db.schema.createIndex("usage_at").on("usage").column("at").execute()
  await db.schema.createIndex("usage_user").on("usage").columns(["user_id", "at"]).execute()
  await db.schema
    .createTable("audit_events")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("actor_type", text, (column) => column.notNull())
    .addColumn("actor_id", text)
    .addColumn("key_id", text)
    .addColumn("address", text)
    .addColumn("action", text, (column) => column.notNull())
    .addColumn("target_type", text)
    .addColumn("target_id", text)
    .addColumn("changed", text)
    .addColumn("before", text)
    .addColumn("after", text)
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("status", integer)
    .addColumn("count", integer, (column) => column.notNull().defaultTo(1))
    .addColumn("request_id", text)
    .execute()
  await db.schema.createIndex("audit_events_at").on("audit_events").column("at").execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await users(db)
  await groups(db)
  await credentials(db)
  await connections(db)
  await records(db)
}

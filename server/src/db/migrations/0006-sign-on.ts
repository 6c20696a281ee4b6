import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

const identities = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("identities")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("provider", text, (column) => column.notNull())
    .addColumn("issuer", text, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("email", text)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("last_used_at", integer)
    .addUniqueConstraint("identities_subject", ["issuer", "subject"])
    .execute()
  await db.schema.createIndex("identities_user").on("identities").column("user_id").execute()
}

const sessions = async (db: Kysely<unknown>): Promise<void> => {
  const { text } = columnTypes(db)
  await db.schema
    .createTable("sign_on_sessions")
    .addColumn("session_id", text, (column) =>
      column.primaryKey().references("sessions.id").onDelete("cascade"),
    )
    .addColumn("identity_id", text, (column) =>
      column.notNull().references("identities.id").onDelete("cascade"),
    )
    .addColumn("sid", text)
    .addColumn("sealed_id_token", text, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("sign_on_sessions_identity")
    .on("sign_on_sessions")
    .column("identity_id")
    .execute()
  await db.schema.createIndex("sign_on_sessions_sid").on("sign_on_sessions").column("sid").execute()
}

const members = async (db: Kysely<unknown>): Promise<void> => {
  const { text } = columnTypes(db)
  await db.schema
    .createTable("sign_on_members")
    .addColumn("issuer", text, (column) => column.notNull())
    .addColumn("group_id", text, (column) =>
      column.notNull().references("groups.id").onDelete("cascade"),
    )
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addPrimaryKeyConstraint("sign_on_members_key", ["user_id", "issuer", "group_id"])
    .execute()
  await db.schema
    .createIndex("sign_on_members_group")
    .on("sign_on_members")
    .column("group_id")
    .execute()
}

const spent = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("sign_on_spent")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("sign_on_spent_expiry")
    .on("sign_on_spent")
    .column("expires_at")
    .execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await identities(db)
  await sessions(db)
  await members(db)
  await spent(db)
}

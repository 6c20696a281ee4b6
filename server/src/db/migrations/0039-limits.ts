import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds limits, what was used of them in each period, and what processes may use without asking. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer, number } = columnTypes(db)
  await db.schema
    .createTable("limits")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("target_type", text, (column) => column.notNull())
    .addColumn("target_id", text)
    .addColumn("model", text)
    .addColumn("metric", text, (column) => column.notNull())
    .addColumn("amount", integer, (column) => column.notNull())
    .addColumn("time_window", text, (column) => column.notNull())
    .addColumn("mode", text, (column) => column.notNull())
    .addColumn("time_zone", text, (column) => column.notNull())
    .addColumn("rolling", "integer", (column) => column.notNull())
    .addColumn("raise_amount", integer)
    .addColumn("raise_until_ms", integer)
    .addColumn("arrival_ms", number)
    .addColumn("set_by", text, (column) => column.notNull())
    .addColumn("group_id", text)
    .addColumn("created_ms", integer, (column) => column.notNull())
    .addColumn("updated_ms", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("limits_target")
    .on("limits")
    .columns(["target_type", "target_id"])
    .execute()

  await db.schema
    .createTable("limit_accounts")
    .addColumn("limit_id", text, (column) =>
      column.notNull().references("limits.id").onDelete("cascade"),
    )
    .addColumn("period", text, (column) => column.notNull())
    .addColumn("series", text, (column) => column.notNull())
    .addColumn("starts_ms", integer, (column) => column.notNull())
    .addColumn("counts_until_ms", integer)
    .addColumn("spent", integer, (column) => column.notNull())
    .addColumn("written_off", integer, (column) => column.notNull())
    .addColumn("granted", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("limit_accounts_primary", ["limit_id", "period"])
    .execute()
  await db.schema
    .createIndex("limit_accounts_window")
    .on("limit_accounts")
    .columns(["limit_id", "series", "starts_ms"])
    .execute()
  await db.schema
    .createIndex("limit_accounts_age")
    .on("limit_accounts")
    .columns(["counts_until_ms"])
    .execute()

  await db.schema
    .createTable("limit_leases")
    .addColumn("process_id", text, (column) => column.notNull())
    .addColumn("limit_id", text, (column) => column.notNull())
    .addColumn("period", text, (column) => column.notNull())
    .addColumn("granted", integer, (column) => column.notNull())
    .addColumn("used", integer, (column) => column.notNull())
    .addColumn("opening", integer, (column) => column.notNull())
    .addColumn("written_off", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("limit_leases_primary", ["process_id", "limit_id", "period"])
    .addForeignKeyConstraint(
      "limit_leases_account",
      ["limit_id", "period"],
      "limit_accounts",
      ["limit_id", "period"],
      (constraint) => constraint.onDelete("cascade"),
    )
    .execute()
  await db.schema
    .createIndex("limit_leases_account_index")
    .on("limit_leases")
    .columns(["limit_id", "period"])
    .execute()

  await db.schema
    .createTable("limit_processes")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("heartbeat", integer, (column) => column.notNull())
    .addColumn("is_closed", "integer", (column) => column.notNull())
    .addColumn("closed_ms", integer)
    .addColumn("has_lost_leases", "integer", (column) => column.notNull())
    .execute()
}

import { type Kysely, sql } from "kysely"
import { columnTypes, isPostgres } from "../column-types.ts"

const kept = ["id", "at", "actor_type", "actor_id", "key_id", "address", "action"]
const event = [
  ...[...kept, "target_type", "target_id", "changed", "ignored", "before", "after"],
  ...["outcome", "status", "count", "request_id"],
]
const seal = ["number", "previous", "hash", "seal", "key_id", "count", "first_at", "last_at"]
const block = [...seal, "sealed_at"]

const same = (columns: readonly string[], operator: string): string =>
  columns.map((name) => `new."${name}" ${operator} old."${name}"`).join(" and ")

const mayChangeEvent = (operator: string): string =>
  `old.block is null and new.block is not null and ${same(event, operator)}`
const mayChangeBlock = (operator: string): string =>
  `old.pruned_at is null and new.pruned_at is not null and ${same(block, operator)}`
const mayRemoveEvent =
  "exists (select 1 from audit_blocks where number = old.block and pruned_at is not null)"

const refusal = "the audit trail is never changed"

/** Permitted changes: an event is sealed once, and deleted once its block was pruned. */
const rules = (operator: string) =>
  [
    ["audit_events", "update", mayChangeEvent(operator)],
    ["audit_events", "delete", mayRemoveEvent],
    ["audit_blocks", "update", mayChangeBlock(operator)],
    ["audit_blocks", "delete", "false"],
  ] as const

const guardSqlite = async (db: Kysely<unknown>): Promise<void> => {
  for (const [table, verb, allowed] of rules("is")) {
    await sql
      .raw(
        `create trigger ${table}_${verb} before ${verb} on ${table} when not (${allowed})
         begin select raise(abort, '${refusal}'); end`,
      )
      .execute(db)
  }
}

const guardPostgres = async (db: Kysely<unknown>): Promise<void> => {
  await sql
    .raw(
      `create function portico_audit_refuse() returns trigger language plpgsql as
       $$ begin raise exception '${refusal}'; end $$`,
    )
    .execute(db)
  for (const [table, verb, allowed] of rules("is not distinct from")) {
    const name = `portico_${table}_${verb}`
    const result = verb === "update" ? "new" : "old"
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin
           if ${allowed} then return ${result}; end if;
           raise exception '${refusal}';
         end $$`,
      )
      .execute(db)
    await sql
      .raw(
        `create trigger ${table}_${verb} before ${verb} on ${table}
         for each row execute function ${name}()`,
      )
      .execute(db)
  }
  for (const table of ["audit_events", "audit_blocks"]) {
    await sql
      .raw(
        `create trigger ${table}_truncate before truncate on ${table}
         for each statement execute function portico_audit_refuse()`,
      )
      .execute(db)
  }
}

const blocks = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("audit_blocks")
    .addColumn("number", integer, (column) => column.primaryKey())
    .addColumn("previous", text, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull())
    .addColumn("seal", text, (column) => column.notNull())
    .addColumn("key_id", text, (column) => column.notNull())
    .addColumn("count", integer, (column) => column.notNull())
    .addColumn("first_at", integer, (column) => column.notNull())
    .addColumn("last_at", integer, (column) => column.notNull())
    .addColumn("sealed_at", integer, (column) => column.notNull())
    .addColumn("digests", text, (column) => column.notNull())
    .addColumn("pruned_at", integer)
    .execute()
  await db.schema
    .createTable("audit_state")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("value", text, (column) => column.notNull())
    .execute()
}

const indexes = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.dropIndex("audit_events_at").execute()
  const create = (name: string, columns: string, where: string) =>
    sql.raw(`create index ${name} on audit_events (${columns}) ${where}`).execute(db)
  await create("audit_events_at", "at, id", "")
  // Each row is in exactly one of these two indexes; unsealed rows are few.
  await create("audit_events_unsealed", "id", "where block is null")
  await create("audit_events_block", "block", "where block is not null")
  await create("audit_events_failed", "at, id", "where outcome = 'failure'")
  await create("audit_events_scim", "at, id", "where actor_type = 'scim'")
}

/** Adds sealed blocks, and triggers that reject every change except sealing and retention. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable("audit_events").addColumn("block", columnTypes(db).integer).execute()
  await blocks(db)
  await indexes(db)
  await (isPostgres(db) ? guardPostgres(db) : guardSqlite(db))
}

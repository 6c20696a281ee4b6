import { type CreateTableBuilder, type Kysely, sql } from "kysely"
import { columnTypes, isPostgres } from "../column-types.ts"

const dimensions = ["user_id", "group_id", "key_id", "model", "connection_id", "outcome"]
const sums = [
  ...["requests", "attempts", "tokens_in", "tokens_out", "tokens_cache_read"],
  ...["tokens_cache_write", "tokens_cache_write_1h", "tokens_reasoning", "tokens_audio_in"],
  ...["tokens_audio_out", "tokens_image_in", "tokens_image_out", "cost", "unpriced"],
  ...["duration_ms", "first_tokens", "first_token_ms"],
]

const upsert = "on conflict (part, start) do update set version = excluded.version"

/** In the database, so that a process of an earlier version marks the hours it writes to as well. */
const markOutdatedHours = async (db: Kysely<unknown>): Promise<void> => {
  if (!isPostgres(db)) {
    await sql
      .raw(
        `create trigger usage_outdate after insert on usage begin
           insert into usage_outdated (part, start, version)
           values ('hour', new.at / 3600 * 3600, new.id) ${upsert};
         end`,
      )
      .execute(db)
    return
  }
  // Sorted: transactions that take the rows' locks in the same order do not block each other.
  await sql
    .raw(
      `create function portico_usage_outdate() returns trigger language plpgsql as $$ begin
         insert into usage_outdated (part, start, version)
         select 'hour', at / 3600 * 3600, max(id) from added group by 2 order by 2 ${upsert};
         return null;
       end $$`,
    )
    .execute(db)
  await sql
    .raw(
      `create trigger usage_outdate after insert on usage
       referencing new table as added for each statement execute function portico_usage_outdate()`,
    )
    .execute(db)
}

/**
 * Adds sums of usage records by hour and day. All hours that have records are outdated at first:
 * they are summed in the background.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  let table: CreateTableBuilder<"usage_sums", string> = db.schema
    .createTable("usage_sums")
    .addColumn("part", text, (column) => column.notNull())
    .addColumn("start", integer, (column) => column.notNull())
  for (const name of dimensions) table = table.addColumn(name, text, (column) => column.notNull())
  for (const name of sums) table = table.addColumn(name, integer, (column) => column.notNull())
  table = table.addPrimaryKeyConstraint("usage_sums_key", ["part", "start", ...dimensions])
  await (isPostgres(db) ? table : table.modifyEnd(sql`without rowid`)).execute()
  // Everybody may see the own usage: only few of the sums.
  await db.schema
    .createIndex("usage_sums_user")
    .on("usage_sums")
    .columns(["user_id", "part", "start"])
    .execute()
  await db.schema
    .createTable("usage_outdated")
    .addColumn("part", text, (column) => column.notNull())
    .addColumn("start", integer, (column) => column.notNull())
    .addColumn("version", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_outdated_key", ["part", "start"])
    .execute()
  await markOutdatedHours(db)
  await sql`insert into usage_outdated (part, start, version)
    select 'hour', at / 3600 * 3600, max(id) from usage group by 2`.execute(db)
}

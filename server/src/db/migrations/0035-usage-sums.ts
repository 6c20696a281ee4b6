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

const nullable = ["group_id", "key_id", "connection_id"]

/** What a record adds to each sum. */
const addendOf = (column: string): string => {
  if (column === "requests") return "1"
  if (column === "unpriced")
    return `case when cost is null and connection_id is not null and tokens_in + tokens_out > 0
      then 1 else 0 end`
  if (column === "first_tokens") return "case when time_to_first_token_ms is null then 0 else 1 end"
  if (column === "first_token_ms") return "coalesce(time_to_first_token_ms, 0)"
  return `coalesce(${column}, 0)`
}

/** The larger of sums are no safe integers in JavaScript. */
const largest = Number.MAX_SAFE_INTEGER

/** Adds the deleted records of a source to sums of their own, and marks their hours. */
const keepDeleted = (source: string): string => {
  const keys = dimensions.map((name) => (nullable.includes(name) ? `coalesce(${name}, '')` : name))
  const values = sums.map((name) => {
    const sum = `sum(cast(${addendOf(name)} as double precision))`
    return `cast(case when ${sum} < ${largest} then ${sum} else ${largest} end as bigint)`
  })
  const added = sums.map((name) => {
    const sum = `usage_sums.${name} + excluded.${name}`
    return `${name} = case when ${sum} < ${largest} then ${sum} else ${largest} end`
  })
  const groups = ["at / 3600 * 3600", ...keys].join(", ")
  return `insert into usage_sums (part, start, ${[...dimensions, ...sums].join(", ")})
    select 'deleted', ${groups}, ${values.join(", ")} from ${source}
    where 1 = 1 group by ${groups} order by ${groups}
    on conflict (part, start, ${dimensions.join(", ")}) do update set ${added.join(", ")};
    insert into usage_outdated (part, start, version)
    select 'hour', at / 3600 * 3600, 'deleted ' || max(id) from ${source}
    where 1 = 1 group by 2 order by 2 ${upsert};`
}

/** In the database, so that what a process of an earlier version deletes is kept as well. */
const keepDeletedRecords = async (db: Kysely<unknown>): Promise<void> => {
  if (!isPostgres(db)) {
    const columns = ["id", "at", "cost", "time_to_first_token_ms", ...dimensions, ...sums]
    const derived = ["requests", "unpriced", "first_tokens", "first_token_ms"]
    const own = [...new Set(columns)].filter((name) => !derived.includes(name))
    const row = own.map((name) => `old.${name} as ${name}`).join(", ")
    await sql
      .raw(
        `create trigger usage_keep_deleted after delete on usage begin
           ${keepDeleted(`(select ${row}) as removed`)}
         end`,
      )
      .execute(db)
    return
  }
  await sql
    .raw(
      `create function portico_usage_keep_deleted() returns trigger language plpgsql as $$ begin
         ${keepDeleted("removed")}
         return null;
       end $$`,
    )
    .execute(db)
  await sql
    .raw(
      `create trigger usage_keep_deleted after delete on usage referencing old table as removed
       for each statement execute function portico_usage_keep_deleted()`,
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
  // Everybody may see the own usage: few of the sums. SQLite prefers the primary key anyway.
  if (isPostgres(db)) {
    const index = db.schema.createIndex("usage_sums_user").on("usage_sums")
    await index.columns(["user_id", "part", "start"]).execute()
  }
  await db.schema
    .createTable("usage_outdated")
    .addColumn("part", text, (column) => column.notNull())
    .addColumn("start", integer, (column) => column.notNull())
    .addColumn("version", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_outdated_key", ["part", "start"])
    .execute()
  await markOutdatedHours(db)
  await keepDeletedRecords(db)
  await sql`insert into usage_outdated (part, start, version)
    select 'hour', at / 3600 * 3600, max(id) from usage group by 2`.execute(db)
}

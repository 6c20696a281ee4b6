import { type Kysely, sql } from "kysely"
import { columnTypes, isPostgres } from "../column-types.ts"

/** Bytes that a message row and a chat row count in addition to their text. */
const messageRowBytes = 400
const chatRowBytes = 500

const columns = async (db: Kysely<unknown>): Promise<void> => {
  const { integer } = columnTypes(db)
  for (const name of ["text_bytes", "image_bytes"]) {
    await db.schema
      .alterTable("chats")
      .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
      .execute()
  }
  await db.schema.alterTable("chat_messages").dropColumn("content_key").execute()
  await db.schema
    .alterTable("chat_messages")
    .addColumn("bytes", integer, (column) => column.notNull().defaultTo(0))
    .execute()
}

/** Bytes of one message and its passages. */
const messageBytes = sql`${sql.lit(messageRowBytes)} + octet_length(content)
  + octet_length(reasoning) + coalesce(octet_length(error), 0)
  + coalesce(octet_length(files), 0) + coalesce(octet_length(sources), 0)
  + coalesce(octet_length(sources_skipped), 0)
  + coalesce((select octet_length(texts) from chat_passages where message_id = chat_messages.id), 0)`

const sums = async (db: Kysely<unknown>): Promise<void> => {
  await sql`update chat_messages set bytes = ${messageBytes}`.execute(db)
  await sql`update chats set text_bytes =
    ${sql.lit(chatRowBytes)} + octet_length(system) + octet_length(params)`.execute(db)
  // Not summed from `bytes`, which is stored after the texts and would require reading all of them.
  await sql`update chats set text_bytes = text_bytes + texts.total
    from (select chat_id, sum(${messageBytes}) as total from chat_messages group by chat_id) as texts
    where texts.chat_id = chats.id`.execute(db)
  await sql`update chats set image_bytes = images.total
    from (
      select chat_id, sum(octet_length(base64)) as total
      from chat_images join chat_messages on chat_messages.id = message_id group by chat_id
    ) as images
    where images.chat_id = chats.id`.execute(db)
}

const indexes = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createIndex("chats_bytes")
    .on("chats")
    .columns(["user_id", "text_bytes", "image_bytes"])
    .execute()
  await db.schema.dropIndex("files_size").execute()
  await db.schema
    .createIndex("files_size")
    .on("files")
    .columns(["user_id", "size", "text_length"])
    .execute()
  await db.schema.createIndex("models_user").on("models").column("user_id").execute()
}

/**
 * In order of preference: the first ones map `ß` to `ss` as JavaScript does; the last ones map
 * single characters only.
 */
const collations = ["und-x-icu", "pg_unicode_fast", "C.utf8", "pg_c_utf8"]

/**
 * The counterpart of `db/contains-folded.ts` on PostgreSQL. Compares a text's composed and
 * decomposed forms, as normalizing it takes five times as long as everything else.
 */
const createContainsFolded = async (db: Kysely<unknown>): Promise<void> => {
  const { rows } = await sql<{ name: string }>`select collname as name from pg_collation
    where collnamespace = 'pg_catalog'::regnamespace
    and collencoding in (-1, pg_char_to_encoding(getdatabaseencoding()))`.execute(db)
  const known = new Set(rows.map(({ name }) => name))
  const collation = collations.find((name) => known.has(name))
  const text = collation ? sql`$1 collate ${sql.id(collation)}` : sql`$1`
  const pattern = (wanted: string) =>
    sql.raw(String.raw`'%' || regexp_replace(${wanted}, '([\\%_])', '\\\1', 'g') || '%'`)
  await sql`create function contains_folded(text, text) returns boolean
    language sql immutable parallel safe as $$
    select case when octet_length($1) = length($1)
      then strpos(lower($1 collate "C"), $2) > 0
      else lower(upper(${text})) collate "C" like any (array[
        ${pattern("$2")}, ${pattern("normalize($2, NFD)")}])
    end $$`.execute(db)
}

/**
 * Sums each user's chat storage per chat. Drops the case-folded copy of messages' text: case is now
 * folded while searching.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await columns(db)
  await sums(db)
  await indexes(db)
  if (isPostgres(db)) await createContainsFolded(db)
}

import { sql } from "kysely"
import { readInChunks } from "./chunked-queries.ts"
import type { Reader } from "./database.ts"
import type { Tables } from "./tables.ts"

/** Table and column that hold the names of a type of object, and what a search of them compares. */
export interface NameSource {
  table: keyof Tables
  column: string
  /** Whether `user_id` holds its owner. */
  hasOwner?: boolean
  /** Case-folded columns; if there are none, the search folds `column` itself. */
  searched?: readonly string[]
}

export const nameSources = {
  user: { table: "users", column: "email", searched: ["email_key", "name_key"] },
  group: { table: "groups", column: "name", searched: ["name_key"] },
  key: { table: "api_keys", column: "name", hasOwner: true },
  connection: { table: "connections", column: "name" },
  model: { table: "models", column: "name", hasOwner: true },
  function: { table: "functions", column: "name", hasOwner: true },
  file: { table: "files", column: "filename", hasOwner: true, searched: ["filename_key"] },
  collection: { table: "collections", column: "name", hasOwner: true, searched: ["name_key"] },
  prompt: { table: "prompts", column: "title", hasOwner: true, searched: ["title_key"] },
  chat: { table: "chats", column: "title", hasOwner: true, searched: ["title_key"] },
  project: { table: "projects", column: "name", hasOwner: true, searched: ["name_key"] },
} satisfies Record<string, NameSource>

interface NameRow {
  id: string
  name: string
  owner: string | null
}

/** The names and owners of the objects with these ids; deleted objects are omitted. */
export const readNames = (
  reader: Reader,
  { table, column, hasOwner }: NameSource,
  ids: Iterable<string>,
): Promise<NameRow[]> =>
  readInChunks([...new Set(ids)], async (chunk) => {
    const owner = hasOwner ? sql.ref("user_id") : sql`null`
    const query = sql<NameRow>`select id, ${sql.ref(column)} as name, ${owner} as owner
      from ${sql.table(table)} where id in (${sql.join(chunk)})`
    return (await query.execute(reader)).rows
  })

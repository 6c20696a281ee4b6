import { sql } from "kysely"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { Database, Reader, Tx } from "./database.ts"
import { maxRows } from "./table-limits.ts"

type CountSetting = "MAX_CHATS" | "MAX_FILES" | "MAX_COLLECTIONS"

interface RowLimit {
  table: "chats" | "chat_messages" | "files" | "collections" | "collection_files"
  /** The column that says whose a row is. */
  owner: "user_id" | "chat_id" | "collection_id"
  max: number | CountSetting
  /** The end of a sentence that says what is limited. */
  refusal: (max: number) => string
}

const rowLimits = {
  chats: {
    table: "chats",
    owner: "user_id",
    max: "MAX_CHATS",
    refusal: (max) => `You may have at most ${max} chats (MAX_CHATS). Delete some first.`,
  },
  messages: {
    table: "chat_messages",
    owner: "chat_id",
    max: maxRows.messagesPerChat,
    refusal: (max) => `A chat may have at most ${max} messages. Start a new chat.`,
  },
  files: {
    table: "files",
    owner: "user_id",
    max: "MAX_FILES",
    refusal: (max) => `You may have at most ${max} files (MAX_FILES). Delete some first.`,
  },
  collections: {
    table: "collections",
    owner: "user_id",
    max: "MAX_COLLECTIONS",
    refusal: (max) =>
      `You may have at most ${max} collections (MAX_COLLECTIONS). Delete some first.`,
  },
  collectionFiles: {
    table: "collection_files",
    owner: "collection_id",
    max: maxRows.filesPerCollection,
    refusal: (max) => `A collection may have at most ${max} files. Start another collection.`,
  },
} satisfies Record<string, RowLimit>

export type LimitedRows = keyof typeof rowLimits

interface Deps {
  db: Database
  config: Pick<Config, CountSetting>
}

/** Bounds how many rows somebody may have, as `tableLimits` lists them. */
export const createRowLimits = ({ db, config }: Deps) => {
  const maxOf = ({ max }: RowLimit): number => (typeof max === "number" ? max : config[max])

  const count = async (reader: Reader, limit: RowLimit, owner: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count
      from ${sql.table(limit.table)} where ${sql.ref(limit.owner)} = ${owner}`.execute(reader)
    return Number(rows[0]?.count ?? 0)
  }

  return {
    /**
     * Checks that there is room, in the transaction that then adds the rows; those who add at the same
     * time are counted one after another. Whoever is above the limit already keeps what they have.
     * @throws {Failure} `limit_reached`
     */
    lockAndCheck: async (
      tx: Tx,
      rows: LimitedRows,
      { owner, adding = 1 }: { owner: string; adding?: number },
    ): Promise<void> => {
      const limit = rowLimits[rows]
      await db.exclusive(tx, `rows:${limit.table}:${owner}`)
      const max = maxOf(limit)
      if ((await count(tx, limit, owner)) + adding > max) fail("limit_reached", limit.refusal(max))
    },

    /** The same before much is done for nothing; says nothing about what others add meanwhile. */
    precheck: async (
      rows: LimitedRows,
      { owner, adding = 1 }: { owner: string; adding?: number },
    ): Promise<void> => {
      const limit = rowLimits[rows]
      const max = maxOf(limit)
      const present = await count(db.aside, limit, owner)
      if (present + adding > max) fail("limit_reached", limit.refusal(max))
    },
  }
}

export type RowLimits = ReturnType<typeof createRowLimits>

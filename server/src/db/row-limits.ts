import { sql } from "kysely"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { Database, Reader, Tx } from "./database.ts"
import { maxRows } from "./table-limits.ts"

type CountSetting = "MAX_CHATS" | "MAX_FILES" | "MAX_COLLECTIONS"

interface RowLimit {
  table:
    | "chats"
    | "chat_messages"
    | "projects"
    | "files"
    | "collections"
    | "collection_files"
    | "prompts"
  /** The column that rows are counted by. */
  owner: "user_id" | "chat_id" | "collection_id"
  max: number | CountSetting
  /** The error message, which names the limit. */
  refusal: (max: number) => string
}

const rowLimits = {
  chats: {
    table: "chats",
    owner: "user_id",
    max: "MAX_CHATS",
    refusal: (max) =>
      `You have reached the limit of ${max} chats (MAX_CHATS). Delete some to make room.`,
  },
  messages: {
    table: "chat_messages",
    owner: "chat_id",
    max: maxRows.messagesPerChat,
    refusal: (max) => `This chat has reached the limit of ${max} messages. Start a new chat.`,
  },
  projects: {
    table: "projects",
    owner: "user_id",
    max: maxRows.projectsPerUser,
    refusal: (max) => `You have reached the limit of ${max} projects. Delete some to make room.`,
  },
  files: {
    table: "files",
    owner: "user_id",
    max: "MAX_FILES",
    refusal: (max) =>
      `You have reached the limit of ${max} files (MAX_FILES). Delete some to make room.`,
  },
  collections: {
    table: "collections",
    owner: "user_id",
    max: "MAX_COLLECTIONS",
    refusal: (max) =>
      `You have reached the limit of ${max} collections (MAX_COLLECTIONS). Delete some to make room.`,
  },
  collectionFiles: {
    table: "collection_files",
    owner: "collection_id",
    max: maxRows.filesPerCollection,
    refusal: (max) => `A collection can have at most ${max} files. Create another collection.`,
  },
  prompts: {
    table: "prompts",
    owner: "user_id",
    max: maxRows.promptsPerUser,
    refusal: (max) => `You have reached the limit of ${max} prompts. Delete some to make room.`,
  },
} satisfies Record<string, RowLimit>

export type LimitedResource = keyof typeof rowLimits

interface Deps {
  db: Database
  config: Pick<Config, CountSetting>
}

/** Enforces the row limits listed in `tableLimits`. */
export const createRowLimits = ({ db, config }: Deps) => {
  const limitValue = ({ max }: RowLimit): number => (typeof max === "number" ? max : config[max])

  const count = async (reader: Reader, limit: RowLimit, owner: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count
      from ${sql.table(limit.table)} where ${sql.ref(limit.owner)} = ${owner}`.execute(reader)
    return Number(rows[0]?.count ?? 0)
  }

  return {
    /**
     * Checks the limit in the transaction that adds the rows; concurrent callers with the same
     * owner are serialized. Rows already above the limit are kept.
     * @throws {Failure} `limit_reached`
     */
    lockAndCheck: async (
      tx: Tx,
      rows: LimitedResource,
      { owner, added = 1 }: { owner: string; added?: number },
    ): Promise<void> => {
      const limit = rowLimits[rows]
      await db.acquireLock(tx, `rows:${limit.table}:${owner}`)
      const max = limitValue(limit)
      if ((await count(tx, limit, owner)) + added > max) fail("limit_reached", limit.refusal(max))
    },

    /**
     * An early check before expensive work; it does not account for rows added concurrently.
     * @throws {Failure} `limit_reached`
     */
    precheck: async (
      rows: LimitedResource,
      { owner, added = 1 }: { owner: string; added?: number },
    ): Promise<void> => {
      const limit = rowLimits[rows]
      const max = limitValue(limit)
      const current = await count(db.backgroundReader, limit, owner)
      if (current + added > max) fail("limit_reached", limit.refusal(max))
    },
  }
}

export type RowLimits = ReturnType<typeof createRowLimits>

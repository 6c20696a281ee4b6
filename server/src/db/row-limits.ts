import { sql } from "kysely"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"
import type { Database, Reader, Tx } from "./database.ts"
import { maxRows } from "./max-rows.ts"
import type { Tables } from "./tables.ts"

interface RowLimit {
  table: keyof Tables
  /** The column that rows are counted by. */
  owner: string
  max: number
  /** The error message, which names the limit. */
  message: string
}

const newOwnerMessage = (table: keyof Tables, max: number) =>
  translatable("new_owner_limit_exceeded", { max, objects: table })

/** @param variable the environment variable that sets the limit, if one does */
const perUser = (table: keyof Tables, max: number, variable?: keyof Config): RowLimit => {
  const limit = variable ? `${max} ${table} (${variable})` : `${max} ${table}`
  const message = `You have reached the limit of ${limit}. Delete some to make room.`
  return { table, owner: "user_id", max, message }
}

const createLimits = (config: Config) =>
  ({
    chats: perUser("chats", config.MAX_CHATS, "MAX_CHATS"),
    messages: {
      table: "chat_messages",
      owner: "chat_id",
      max: maxRows.messagesPerChat,
      message: `This chat has reached the limit of ${maxRows.messagesPerChat} messages. Start a new chat.`,
    },
    projects: perUser("projects", maxRows.projectsPerUser),
    files: perUser("files", config.MAX_FILES, "MAX_FILES"),
    collections: perUser("collections", config.MAX_COLLECTIONS, "MAX_COLLECTIONS"),
    collectionFiles: {
      table: "collection_files",
      owner: "collection_id",
      max: maxRows.filesPerCollection,
      message: `A collection can have at most ${maxRows.filesPerCollection} files. Create another collection.`,
    },
    questions: {
      table: "collection_questions",
      owner: "collection_id",
      max: maxRows.questionsPerCollection,
      message: `A collection can have at most ${maxRows.questionsPerCollection} questions. Delete some to make room.`,
    },
    prompts: perUser("prompts", maxRows.promptsPerUser),
  }) satisfies Record<string, RowLimit>

type LimitedResource = keyof ReturnType<typeof createLimits>

interface Addition {
  owner: string
  /** Number of rows. */
  added?: number
  /** Whether the owner is taking the rows over from somebody else, who sees the error. */
  isNewOwner?: boolean
}

interface Deps {
  db: Database
  config: Config
}

/** Enforces limits on rows per owner. */
export interface RowLimits {
  /**
   * Adds rows in a transaction that first checks the limit. Callers with the same owner wait for
   * each other before they take a connection.
   * @throws {Failure} `limit_reached`
   */
  transactWithin<T>(
    rows: LimitedResource,
    addition: Addition,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T>
  /**
   * Checks the limit in the transaction that adds the rows; concurrent callers with the same
   * owner are serialized. Rows already above the limit are kept.
   * @throws {Failure} `limit_reached`
   */
  lockAndCheck(tx: Tx, rows: LimitedResource, addition: Addition): Promise<void>
  /**
   * An early check before expensive work; it does not account for rows added concurrently.
   * @throws {Failure} `limit_reached`
   */
  precheck(rows: LimitedResource, addition: Addition): Promise<void>
}

export const createRowLimits = ({ db, config }: Deps): RowLimits => {
  const limits: Record<LimitedResource, RowLimit> = createLimits(config)

  const check = async (
    reader: Reader,
    { table, owner: column, max, message }: RowLimit,
    { owner, added = 1, isNewOwner = false }: Addition,
  ): Promise<void> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count
      from ${sql.table(table)} where ${sql.ref(column)} = ${owner}`.execute(reader)
    if (Number(rows[0]?.count ?? 0) + added <= max) return
    fail("limit_reached", isNewOwner ? newOwnerMessage(table, max) : message)
  }

  const lockOf = ({ table }: RowLimit, owner: string): string => `rows:${table}:${owner}`

  return {
    transactWithin: <T>(
      rows: LimitedResource,
      addition: Addition,
      work: (tx: Tx) => Promise<T>,
    ): Promise<T> => {
      const limit = limits[rows]
      return db.transactLocked([lockOf(limit, addition.owner)], async (tx) => {
        await check(tx, limit, addition)
        return work(tx)
      })
    },

    lockAndCheck: async (tx, rows, addition) => {
      const limit = limits[rows]
      await db.acquireLock(tx, lockOf(limit, addition.owner))
      await check(tx, limit, addition)
    },

    precheck: (rows, addition) => check(db.backgroundReader, limits[rows], addition),
  }
}

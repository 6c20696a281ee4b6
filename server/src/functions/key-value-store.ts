import { HostCallError } from "@portico/sandbox"
import { sql } from "kysely"
import type { Database } from "../db/database.ts"
import type { FunctionItemRow } from "../db/function-tables.ts"
import { Failure } from "../errors.ts"
import { findUnstorablePath } from "../http/body.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"

const maxItems = 1000
const maxKey = 200
const maxValue = 64 * 1024

interface Deps {
  db: Database
  storage: StorageQuota
  /** The user whose storage a function's values count toward; "" if none. */
  ownerOf: (functionId: string) => string
  now: () => number
}

const invalidArgument = { code: "invalid", status: 422, denied: false }

const checkKey = (key: string): void => {
  if (key === "" || key.length > maxKey || findUnstorablePath(key) !== null) {
    throw new HostCallError(
      `A key must have 1 to ${maxKey} characters, without U+0000 or lone surrogates`,
      invalidArgument,
    )
  }
}

/** Hides the owner's storage figures from users of the function. */
const throwStorageLimit = (error: unknown): never => {
  if (!(error instanceof Failure) || error.code !== "storage_limit") throw error
  const { code, status } = error
  const message = "Storage limit reached (MAX_STORAGE); delete values first"
  throw new HostCallError(message, { code, status, denied: false })
}

/** `context.store`: small JSON values that persist between runs, separate for each function. */
export const createKeyValueStore = ({ db, storage, ownerOf, now }: Deps) => {
  const itemsOf = (functionId: string) =>
    db.read.selectFrom("function_items").where("function_id", "=", functionId)

  const storedSize = async (functionId: string, key: string): Promise<number> => {
    const row = await itemsOf(functionId)
      .select(sql<number>`octet_length(key) + octet_length(value)`.as("bytes"))
      .where("key", "=", key)
      .executeTakeFirst()
    return row?.bytes ?? 0
  }

  const put = (row: FunctionItemRow): Promise<void> =>
    db.transactLocked([`function_items:${row.function_id}`], async (tx) => {
      const { function_id: functionId, key } = row
      const others = await tx
        .selectFrom("function_items")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("function_id", "=", functionId)
        .where("key", "!=", key)
        .executeTakeFirstOrThrow()
      if (Number(others.count) >= maxItems) {
        throw new HostCallError(`A function can store at most ${maxItems} values`, invalidArgument)
      }
      await tx
        .insertInto("function_items")
        .values(row)
        .onConflict((conflict) => conflict.columns(["function_id", "key"]).doUpdateSet(row))
        .execute()
    })

  return {
    get: async (functionId: string, key: string): Promise<unknown> => {
      checkKey(key)
      const query = itemsOf(functionId).select("value").where("key", "=", key)
      const row = await query.executeTakeFirst()
      return row ? JSON.parse(row.value) : null
    },

    /** @throws {HostCallError} if a limit is exceeded */
    set: async (functionId: string, key: string, value: unknown): Promise<void> => {
      checkKey(key)
      const json = JSON.stringify(value ?? null)
      if (json.length > maxValue) {
        throw new HostCallError(`A value can have at most ${maxValue / 1024} KB`, invalidArgument)
      }
      if (findUnstorablePath(value) !== null) {
        throw new HostCallError("A value cannot contain U+0000 or lone surrogates", invalidArgument)
      }
      const row = { function_id: functionId, key, value: json, updated_at: now() }
      const size = Buffer.byteLength(key) + Buffer.byteLength(json)
      const bytes = size - (await storedSize(functionId, key))
      await storage
        .writeWithinLimit([{ owner: ownerOf(functionId), bytes }], () => put(row))
        .catch(throwStorageLimit)
    },

    remove: async (functionId: string, key: string): Promise<void> => {
      await db.essential.transact(async (tx) => {
        await tx
          .deleteFrom("function_items")
          .where("function_id", "=", functionId)
          .where("key", "=", key)
          .execute()
      })
    },

    keys: async (functionId: string, prefix: string): Promise<string[]> => {
      const rows = await itemsOf(functionId).select("key").orderBy("key").execute()
      return rows.map(({ key }) => key).filter((key) => key.startsWith(prefix))
    },
  }
}

export type KeyValueStore = ReturnType<typeof createKeyValueStore>

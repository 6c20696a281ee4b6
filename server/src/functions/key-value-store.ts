import { sql } from "kysely"
import type { Database } from "../db/database.ts"
import type { FunctionItemRow } from "../db/function-tables.ts"
import { Failure } from "../errors.ts"
import { unstorablePath } from "../http/body.ts"
import type { Storage } from "../storage/storage.ts"
import { Refused } from "./sandbox/session.ts"

const maxItems = 1000
const maxKey = 200
const maxValue = 64 * 1024

interface Deps {
  db: Database
  storage: Storage
  /** The user to whom a function's values count; "" where it is nobody's. */
  ownerOf: (functionId: string) => string
  now: () => number
}

const plain = { code: "invalid", status: 422, denied: false }

const checkKey = (key: string): void => {
  if (key === "" || key.length > maxKey || unstorablePath(key) !== null) {
    throw new Refused(`A key has 1 to ${maxKey} characters`, plain)
  }
}

/** Whoever runs a function learns nothing of what its owner stores. */
const withoutRoom = (error: unknown): never => {
  if (!(error instanceof Failure) || error.code !== "storage_limit") throw error
  const { code, status } = error
  throw new Refused("The storage limit is reached (MAX_STORAGE); delete values first", {
    code,
    status,
    denied: false,
  })
}

/** What functions keep from one run to the next: small values, and each function its own. */
export const createItemStore = ({ db, storage, ownerOf, now }: Deps) => {
  const storedSize = async (functionId: string, key: string): Promise<number> => {
    const row = await db.read
      .selectFrom("function_items")
      .select(sql<number>`octet_length(key) + octet_length(value)`.as("bytes"))
      .where("function_id", "=", functionId)
      .where("key", "=", key)
      .executeTakeFirst()
    return row?.bytes ?? 0
  }

  const put = (row: FunctionItemRow): Promise<void> =>
    db.transact(async (tx) => {
      const { function_id: functionId, key } = row
      await db.exclusive(tx, `function_items:${functionId}`)
      const others = await tx
        .selectFrom("function_items")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("function_id", "=", functionId)
        .where("key", "!=", key)
        .executeTakeFirstOrThrow()
      if (Number(others.count) >= maxItems) {
        throw new Refused(`A function's store has room for ${maxItems} values`, plain)
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
      const row = await db.read
        .selectFrom("function_items")
        .select("value")
        .where("function_id", "=", functionId)
        .where("key", "=", key)
        .executeTakeFirst()
      return row ? JSON.parse(row.value) : null
    },

    /** @throws {Refused} when it has no room for more */
    set: async (functionId: string, key: string, value: unknown): Promise<void> => {
      checkKey(key)
      const json = JSON.stringify(value ?? null)
      if (json.length > maxValue) {
        throw new Refused(`A value has at most ${maxValue / 1024} KB`, plain)
      }
      if (unstorablePath(value) !== null) {
        throw new Refused("U+0000 and lone surrogates cannot be kept", plain)
      }
      const row = { function_id: functionId, key, value: json, updated_at: now() }
      const size = Buffer.byteLength(key) + Buffer.byteLength(json)
      const bytes = size - (await storedSize(functionId, key))
      await storage
        .write([{ owner: ownerOf(functionId), bytes }], () => put(row))
        .catch(withoutRoom)
    },

    remove: async (functionId: string, key: string): Promise<void> => {
      await db.transact(async (tx) => {
        await tx
          .deleteFrom("function_items")
          .where("function_id", "=", functionId)
          .where("key", "=", key)
          .execute()
      })
    },

    keys: async (functionId: string, prefix: string): Promise<string[]> => {
      const rows = await db.read
        .selectFrom("function_items")
        .select("key")
        .where("function_id", "=", functionId)
        .orderBy("key")
        .execute()
      return rows.map(({ key }) => key).filter((key) => key.startsWith(prefix))
    },
  }
}

export type ItemStore = ReturnType<typeof createItemStore>

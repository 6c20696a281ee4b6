import type { Bus } from "../bus/bus.ts"
import type { Database } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import { createThread } from "../db/worker-client.ts"
import { smallBytes } from "../http/body-buffer.ts"
import type { Caller } from "../http/caller.ts"
import type { Member } from "../http/json-members.ts"
import type { JsonObject } from "../http/json-object.ts"
import { createTurns } from "../limits/mutex.ts"
import type { Storage } from "../storage/storage.ts"

/** What the thread is asked: to check all that a file has, then for each chat to prepare and write it. */
export type Question =
  | { step: "check"; userId: string; bytes: Uint8Array; members: readonly Member[] }
  | { step: "prepare" }
  | { step: "write" }

/** How many chats there are, and what storing them takes. */
interface ImportSize {
  count: number
  bytes: number
}

/** The size of all; whether there is another one; the id of the new one. */
export type Answer = ImportSize | boolean | string

/** Whoever moves house brings several files. */
const idleMs = 30_000

const everybody = "everybody"

interface Deps {
  db: Database
  bus: Bus
  rowLimits: RowLimits
  storage: Storage
}

/**
 * Takes chats in as new ones of whoever brings them, in a thread: to parse, check and store 30 MB
 * takes a second, in which nobody else would be served.
 */
export const createImporter = ({ db, bus, rowLimits, storage }: Deps) => {
  const { file, url } = db
  const module = new URL("./import-worker.ts", import.meta.url)
  const thread = createThread<Question, Answer>(module, { file, url }, idleMs)
  const inTurn = createTurns()

  const check = (userId: string, { bytes, members }: JsonObject): Promise<Answer> => {
    if (bytes.length > smallBytes) {
      const buffer = bytes.buffer as ArrayBuffer
      return thread.ask({ step: "check", userId, bytes, members }, [buffer])
    }
    // A small one lies among others' bytes.
    const copy = new Uint8Array(bytes)
    return thread.ask({ step: "check", userId, bytes: copy, members })
  }

  const takeIn = async (userId: string, file: JsonObject): Promise<string[]> => {
    const ids: string[] = []
    const size = await check(userId, file)
    if (typeof size !== "object") throw new Error("the import thread gave no size")
    const { count, bytes } = size
    await rowLimits.precheck("chats", { owner: userId, adding: count })
    const release = await storage.reserve({ owner: userId, bytes })
    try {
      while (await thread.ask({ step: "prepare" })) {
        ids.push(String(await db.handOver(() => thread.ask({ step: "write" }))))
      }
    } finally {
      release(ids.length > 0)
      if (ids.length > 0) {
        await db.transact((tx) => bus.publish(tx, { topic: "chats", user_id: userId, id: null }))
      }
    }
    return ids
  }

  return {
    /**
     * One file after the other, whose users take turns. Its bytes are the thread's afterwards.
     * @returns the ids of the new chats
     * @throws {Failure} `invalid` for what is neither chats nor Markdown; `limit_reached` or
     *   `storage_limit` before the first one is stored
     */
    import: ({ user }: Caller, file: JsonObject): Promise<string[]> =>
      inTurn(user.id, () => inTurn(everybody, () => takeIn(user.id, file))),

    close: thread.close,
  }
}

export type Importer = ReturnType<typeof createImporter>

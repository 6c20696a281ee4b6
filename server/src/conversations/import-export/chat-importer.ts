import { createWorkerClient } from "../../background/worker-client.ts"
import type { Bus } from "../../bus/bus.ts"
import { createSemaphore } from "../../concurrency/semaphore.ts"
import type { Database } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { smallBodyBytes } from "../../http/body-buffer.ts"
import type { Caller } from "../../http/caller.ts"
import type { JsonMember } from "../../http/json-members.ts"
import type { JsonObject } from "../../http/json-object.ts"
import type { StorageQuota } from "../../storage/storage-quota.ts"
import type { ChatImportQuery, ChatImportResult } from "./schema.ts"

/** Requests to the worker: validate a whole file, then prepare and write each chat. */
export type ImportWorkerRequest =
  | {
      step: "check"
      userId: string
      skipsExisting: boolean
      bytes: Uint8Array
      members: readonly JsonMember[]
    }
  | { step: "prepare" }
  | { step: "write" }

/** How many chats there are, and how much storage they take. */
interface ImportSize {
  count: number
  bytes: number
}

/**
 * Responses to the three steps: the size; whether there is another chat; the id of the new chat, or
 * null if it was left out.
 */
export type ImportWorkerResponse = ImportSize | boolean | string | null

/** The worker stays alive for a while: users who migrate often import several files. */
const idleTimeoutMs = 30_000

interface Deps {
  db: Database
  bus: Bus
  rowLimits: RowLimits
  storage: StorageQuota
}

/**
 * Imports chats as new chats of the caller. Runs in a worker: parsing, validating and storing 30 MB
 * takes a second, which would block all other requests.
 */
export const createChatImporter = ({ db, bus, rowLimits, storage }: Deps) => {
  const { file, url } = db
  const module = new URL("./import-worker.ts", import.meta.url)
  const thread = createWorkerClient<ImportWorkerRequest, ImportWorkerResponse>(
    module,
    { file, url },
    idleTimeoutMs,
  )
  const imports = createSemaphore({ maxConcurrent: 1 })

  const check = (
    { bytes, members }: JsonObject,
    owner: { userId: string; skipsExisting: boolean },
  ): Promise<ImportWorkerResponse> => {
    const request = { step: "check" as const, ...owner, members }
    if (bytes.length > smallBodyBytes) {
      const buffer = bytes.buffer as ArrayBuffer
      return thread.request({ ...request, bytes }, [buffer])
    }
    // A small body shares its buffer with other requests.
    return thread.request({ ...request, bytes: new Uint8Array(bytes) })
  }

  const importChats = async (
    userId: string,
    file: JsonObject,
    { skip_existing }: ChatImportQuery,
  ): Promise<ChatImportResult> => {
    const ids: string[] = []
    let skipped = 0
    const size = await check(file, { userId, skipsExisting: skip_existing })
    if (typeof size !== "object" || size === null)
      throw new Error("The import worker returned no size")
    const { count, bytes } = size
    await rowLimits.precheck("chats", { owner: userId, added: count })
    const release = await storage.reserve({ owner: userId, bytes })
    try {
      while (await thread.request({ step: "prepare" })) {
        const id = await db.runExternalWrite(() => thread.request({ step: "write" }))
        if (typeof id === "string") ids.push(id)
        else skipped++
      }
    } finally {
      release(ids.length > 0)
      if (ids.length > 0) {
        await db.essential.transact((tx) =>
          bus.publish(tx, { topic: "chats", user_id: userId, id: null }),
        )
      }
    }
    return { ids, skipped }
  }

  return {
    /**
     * Imports one file at a time, taking users in turn. The file's buffer is transferred to the
     * worker.
     * @throws {Failure} `invalid` if the body contains neither chats nor Markdown; `limit_reached`
     * or `storage_limit` before the first one is stored
     */
    import: (
      { user }: Caller,
      file: JsonObject,
      options: ChatImportQuery,
    ): Promise<ChatImportResult> =>
      imports.run({ key: user.id }, () => importChats(user.id, file, options)),

    close: thread.close,
  }
}

export type ChatImporter = ReturnType<typeof createChatImporter>

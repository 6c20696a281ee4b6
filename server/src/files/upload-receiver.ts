import type { IncomingMessage } from "node:http"
import type { RowLimits } from "../db/row-limits.ts"
import type { LoopShare } from "../limits/fair-loop.ts"
import type { UserLimit } from "../limits/user-limit.ts"
import type { Storage } from "../storage/storage.ts"
import type { Objects } from "./objects.ts"
import { readUpload, type Upload } from "./upload.ts"

interface Deps {
  objects: Objects
  storage: Storage
  rowLimits: RowLimits
  uploads: UserLimit
  shareOf: (user: string) => LoopShare
  /** Bytes a file. */
  limit: number
}

interface Terms {
  /** The user's id. */
  owner: string
  mustBeReadable: boolean
}

/** Takes uploads in, so many of each user at once and no more than they may store. */
export const createReceiver = ({ objects, storage, rowLimits, ...deps }: Deps) => ({
  /**
   * Reads an upload and has it kept.
   * @throws {Failure} `limit_reached`, `rate_limited` or `storage_limit` before anything is read
   */
  receive: async <T>(
    incoming: IncomingMessage,
    { owner, mustBeReadable }: Terms,
    keep: (upload: Upload) => Promise<T>,
  ): Promise<T> => {
    const { uploads, shareOf, limit } = deps
    await rowLimits.precheck("files", { owner })
    const leave = uploads.reserve(owner)
    let release: ((stays: boolean) => void) | undefined
    let isKept = false
    try {
      // One that does not say may become as large as any.
      const declared = Number(incoming.headers["content-length"] ?? limit)
      release = await storage.reserve({ owner, bytes: Math.min(declared, limit) })
      const share = shareOf(owner)
      const kept = await keep(await readUpload(incoming, { objects, limit, mustBeReadable, share }))
      isKept = true
      return kept
    } finally {
      release?.(isKept)
      leave()
    }
  },
})

export type Receiver = ReturnType<typeof createReceiver>

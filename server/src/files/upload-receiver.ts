import type { IncomingMessage } from "node:http"
import type { EventLoopShare } from "../concurrency/fair-event-loop.ts"
import type { UserLimit } from "../concurrency/user-limit.ts"
import type { RowLimits } from "../db/row-limits.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { type FileUpload, readMultipartUpload } from "./multipart-upload.ts"
import type { ObjectStore } from "./object-store.ts"

interface Deps {
  objects: ObjectStore
  storage: StorageQuota
  rowLimits: RowLimits
  uploads: UserLimit
  shareOf: (user: string) => EventLoopShare
  /** Maximum file size, in bytes. */
  limit: number
}

interface ReceiveOptions {
  /** The owner's user id. */
  owner: string
  requiresText: boolean
}

/** Receives uploads within each user's concurrency and storage limits. */
export const createUploadReceiver = (deps: Deps) => ({
  /**
   * Reads an upload and passes it to `keep`.
   * @throws {Failure} `limit_reached`, `rate_limited` or `storage_limit` before anything is read
   */
  receive: async <T>(
    incoming: IncomingMessage,
    { owner, requiresText }: ReceiveOptions,
    keep: (upload: FileUpload) => Promise<T>,
  ): Promise<T> => {
    const { objects, storage, rowLimits, uploads, shareOf, limit } = deps
    await rowLimits.precheck("files", { owner })
    const releaseSlot = uploads.reserve(owner)
    let release: ((stays: boolean) => void) | undefined
    let isKept = false
    try {
      // Without a Content-Length, the maximum size is reserved.
      const declared = Number(incoming.headers["content-length"] ?? limit)
      release = await storage.reserve({ owner, bytes: Math.min(declared, limit) })
      const share = shareOf(owner)
      const kept = await keep(
        await readMultipartUpload(incoming, { objects, limit, requiresText, share }),
      )
      isKept = true
      return kept
    } finally {
      release?.(isKept)
      releaseSlot()
    }
  },
})

export type UploadReceiver = ReturnType<typeof createUploadReceiver>

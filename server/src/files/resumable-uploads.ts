import type { Readable } from "node:stream"
import { type FairEventLoop, turnCosts } from "../concurrency/fair-event-loop.ts"
import { createKeyedMutex } from "../concurrency/mutex.ts"
import { checkLimit, type UserAndTotal, type UserLimit } from "../concurrency/user-limit.ts"
import type { Database } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import { Failure, fail } from "../errors.ts"
import { isOwn } from "../grants/private-access.ts"
import { type Actor, type Caller, systemActor } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { Files } from "./files.ts"
import { type FileUpload, failTooLarge, rejectUnreadable } from "./multipart-upload.ts"
import type { ObjectStore } from "./object-store.ts"
import type { PartialUploads } from "./partial-uploads.ts"
import type { UploadProgress } from "./schema.ts"
import type { StoredUpload, UploadStore } from "./upload-store.ts"
import { createUploadWriters } from "./upload-writers.ts"

/** An upload without writes for this long has no active client. */
const idleAfterMs = 600_000
const foreignRetentionSeconds = 24 * 3600

interface Deps {
  db: Database
  store: UploadStore
  partials: PartialUploads
  objects: ObjectStore
  files: Files
  storage: StorageQuota
  rowLimits: RowLimits
  /** Limit on concurrent upload requests per user. */
  uploads: UserLimit
  /** Limit on unfinished uploads, including abandoned ones. */
  unfinished: UserAndTotal
  fairLoop: FairEventLoop
  /** Maximum file size, in bytes. */
  limit: number
  /** Whether to reject files without extractable text. */
  requiresText: boolean
  /** Seconds until an unfinished upload expires. */
  lifetimeSeconds: number
  newId: () => string
  now: () => number
  isClockTrusted: () => boolean
}

interface NewUpload extends Omit<FileUpload, "received"> {
  size: number
  process: boolean
}

/** Resumable uploads. A complete upload becomes a file with the same id. */
export const createResumableUploads = (deps: Deps) => {
  const { db, store, partials, objects, files, storage, uploads, fairLoop, newId, now } = deps
  const { rowLimits } = deps
  const writers = createUploadWriters()
  /** Serializes the creation of uploads per user. */
  const runSerialized = createKeyedMutex()
  /** Unfinished uploads survive a restart, so they are counted in the database. */
  const unfinished = {
    what: "unfinished uploads",
    variable: "MAX_UNFINISHED_UPLOADS",
    bounds: deps.unfinished,
  }
  const checkUnfinishedLimit = (counts: UserAndTotal): void => checkLimit(unfinished, counts)

  const throwNotFound = (): never => fail("not_found", "Upload not found.")

  const progressOf = (
    { size, expires_at }: Pick<StoredUpload, "size" | "expires_at">,
    offset: number,
  ): UploadProgress => ({ offset, size, expires_at })

  const completedProgress = (size: number): UploadProgress => ({
    offset: size,
    size,
    expires_at: null,
  })

  const runWithUploadSlot = async <T>(
    { user }: Caller,
    id: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const release = uploads.reserve(user.id)
    try {
      return await writers.run(id, work)
    } finally {
      release()
    }
  }

  const discard = async (id: string): Promise<void> => {
    await db.essential.transact((tx) => store.remove(tx, id))
    await partials.remove(id)
  }

  /** Creates the file of a complete upload. */
  const finish = async (actor: Actor, upload: StoredUpload): Promise<UploadProgress> => {
    const { id, user_id: owner, size, filename, content_type } = upload
    const received = await objects.receiveFile(partials.pathOf(id))
    const metadata: Record<string, unknown> = JSON.parse(upload.metadata)
    await files.add(actor, {
      upload: { received, filename, content_type, metadata },
      owner,
      process: upload.process === 1,
      id,
      inTransaction: async (tx) => {
        if (!(await store.remove(tx, id))) throwNotFound()
      },
    })
    // Only now, as a failed transaction must leave the bytes for another attempt.
    await partials.remove(id)
    return completedProgress(size)
  }

  const find = async (caller: Caller, id: string): Promise<StoredUpload | undefined> => {
    const upload = await store.byId(id)
    if (!upload || !isOwn(upload, caller)) return undefined
    return upload.expires_at > now() ? upload : undefined
  }

  /** Progress of a completed upload whose final response the client did not receive. */
  const progressOfFinished = async (caller: Caller, id: string): Promise<UploadProgress> => {
    const file = await files.find(caller, id)
    return file && isOwn(file, caller) ? completedProgress(file.size) : throwNotFound()
  }

  const offsetOf = async (id: string): Promise<number> =>
    (await partials.size(id)) ?? throwNotFound()

  const write = async (
    upload: StoredUpload,
    source: Readable,
    { from, signal }: { from: number; signal: AbortSignal },
  ): Promise<void> => {
    const stop = (): void => void source.destroy(new Error("Another request took over this upload"))
    signal.addEventListener("abort", stop, { once: true })
    // A newer request may have aborted this one before the listener was added.
    if (signal.aborted) stop()
    const onHead = (head: Buffer): void => {
      if (deps.requiresText && upload.process === 1) rejectUnreadable(head)
    }
    try {
      const yieldTurn = () => fairLoop.of(upload.user_id).turn(turnCosts.upload)
      await partials.append(upload.id, source, { from, totalSize: upload.size, onHead, yieldTurn })
    } catch (error) {
      if (isRefusal(error)) await discard(upload.id)
      throw error
    } finally {
      signal.removeEventListener("abort", stop)
    }
  }

  /**
   * Removes bytes without an upload row. Checks again, as a new upload's row may have been added
   * since.
   */
  const removeStray = async (id: string): Promise<void> => {
    if (!(await store.byId(id))) await partials.remove(id)
  }

  /** Whether no process is writing or finishing this upload. */
  const isAbandoned = async ({ id, expires_at }: StoredUpload, all: boolean): Promise<boolean> => {
    if (writers.isActive(id)) return false
    const idleMs = await partials.idleMs(id)
    // The bytes are on another machine, which handles the upload unless it is gone.
    if (idleMs === null && !all) return expires_at + foreignRetentionSeconds <= now()
    return all || (idleMs ?? idleAfterMs) >= idleAfterMs
  }

  const finishOrExpire = async (upload: StoredUpload): Promise<void> => {
    const { id, size, expires_at } = upload
    if ((await partials.size(id)) === size) await finish(systemActor, upload)
    else if (expires_at <= now() && deps.isClockTrusted()) await discard(id)
  }
  /** A client's request waits for this step, but this step never waits for a client's request. */
  const finishOrExpireUnlessActive = async (upload: StoredUpload): Promise<void> => {
    if (!writers.isActive(upload.id)) await writers.run(upload.id, () => finishOrExpire(upload))
  }

  return {
    create: async (caller: Caller, input: NewUpload): Promise<UploadProgress & { id: string }> => {
      const { size, filename, content_type } = input
      if (size === 0) fail("bad_request", translatable("file_empty"))
      if (size > deps.limit) failTooLarge(deps.limit)
      const { id: owner } = caller.user
      await rowLimits.precheck("files", { owner })
      const release = await storage.reserve({ owner, bytes: size })
      const upload = {
        id: newId(),
        user_id: owner,
        size,
        filename,
        content_type,
        metadata: JSON.stringify(input.metadata),
        process: input.process ? 1 : 0,
        created_at: now(),
        expires_at: Math.round(now() + deps.lifetimeSeconds),
      }
      let isMade = false
      try {
        await runSerialized(owner, () => store.insert(upload, checkUnfinishedLimit))
        isMade = true
        await partials.create(upload.id)
      } finally {
        release(isMade)
      }
      return { id: upload.id, ...progressOf(upload, 0) }
    },

    progress: async (actor: Actor, caller: Caller, id: string): Promise<UploadProgress> => {
      const upload = await find(caller, id)
      if (!upload) return progressOfFinished(caller, id)
      const offset = await partials.size(id)
      // The upload completed after the lookup above.
      if (offset === null) return progressOfFinished(caller, id)
      if (offset < upload.size) return progressOf(upload, offset)
      // The process stopped after the last byte but before the file was created.
      return writers.run(id, async () =>
        (await find(caller, id)) ? finish(actor, upload) : progressOfFinished(caller, id),
      )
    },

    /**
     * Appends bytes; received bytes are kept even if the connection breaks.
     * @throws {Failure} `conflict` if `from` is not the current offset
     */
    append: (
      actor: Actor,
      caller: Caller,
      { id, from, source }: { id: string; from: number; source: Readable },
    ): Promise<UploadProgress> =>
      runWithUploadSlot(caller, id, async (signal) => {
        const upload = (await find(caller, id)) ?? throwNotFound()
        const offset = await offsetOf(id)
        if (offset !== from)
          fail("conflict", `Upload-Offset is ${from}, but the upload is at byte ${offset}.`)
        await write(upload, source, { from, signal })
        const reached = await offsetOf(id)
        return reached < upload.size ? progressOf(upload, reached) : finish(actor, upload)
      }),

    remove: async (caller: Caller, id: string): Promise<void> => {
      if (!(await find(caller, id))) throwNotFound()
      await writers.run(id, () => discard(id))
    },

    /**
     * Removes expired uploads and stray bytes, and finishes complete uploads.
     * @param all true when no upload can be in progress
     */
    sweep: async (all: boolean): Promise<void> => {
      const uploads = new Map((await store.all()).map((upload) => [upload.id, upload]))
      for (const id of await partials.ids()) if (!uploads.has(id)) await removeStray(id)
      const errors: unknown[] = []
      for (const upload of uploads.values()) {
        if (!(await isAbandoned(upload, all))) continue
        await finishOrExpireUnlessActive(upload).catch((error) => errors.push(error))
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}

/** Errors of the content itself, which a retry would not fix. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Failure && ["unsupported_media_type", "body_too_large"].includes(error.code)

export type ResumableUploads = ReturnType<typeof createResumableUploads>

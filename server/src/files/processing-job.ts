import { rm } from "node:fs/promises"
import type {
  ExtractedText,
  ExtractionLimits,
  Extractor,
  UnreadableCode,
  UnreadableReason,
} from "@portico/extract"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { Failure } from "../errors.ts"
import {
  type MessageOrText,
  type MessageReference,
  toReference,
  toText,
  translatable,
  withText,
} from "../i18n/message.ts"
import { type JobKind, type JobRun, PermanentJobError } from "../jobs/queue.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { ExtractionEngine } from "./extraction-engine.ts"
import type { FileHooks } from "./file-hooks.ts"
import { type FileStore, noProcessingError, type StoredFile } from "./file-store.ts"
import type { ObjectStore } from "./object-store.ts"
import type { PassageStore } from "./passage-store.ts"
import type { ProcessingErrorCode } from "./schema.ts"

export interface ProcessingOptions {
  quickReadMs?: number
}

interface Deps extends ProcessingOptions {
  db: Database
  bus: Bus
  store: FileStore
  passages: PassageStore
  objects: ObjectStore
  storage: StorageQuota
  extractor: Extractor
  limits: ExtractionLimits
  /** External extraction engine; null if none is configured. */
  engine: ExtractionEngine | null
  concurrency: number
  now: () => number
  hooks: Pick<FileHooks, "onSearchable">
}

/** A file that the gateway could not read itself. */
interface ExtractionAttempt {
  filename: string
  reason: UnreadableReason
  signal: AbortSignal
}

/** Most documents are read in less time. */
const defaultQuickReadMs = 5000

/** Visible to everyone with access to the file, so it reveals nothing about the owner's storage. */
const storageLimitMessage =
  "This file's text doesn't fit into its owner's storage (MAX_STORAGE). Delete files or chats, then process it again."

/** Formats that an external engine may read, by text recognition or as an old format. */
const codesForEngine: ReadonlySet<UnreadableCode> = new Set(["unsupported", "scanned"])

/** A file that cannot be processed; retrying does not help. */
class ProcessingError extends PermanentJobError {
  readonly code: ProcessingErrorCode

  readonly reference: MessageReference | null

  constructor(code: ProcessingErrorCode, message: MessageOrText) {
    super(toText(message))
    this.code = code
    this.reference = toReference(message)
  }
}

const toProcessingError = ({ code, detail }: UnreadableReason): ProcessingError =>
  new ProcessingError(code, withText({ values: {}, ...detail }))

/** The `read` job: extracts a file's text into searchable passages. */
export const createProcessingJob = (deps: Deps): JobKind => {
  const { db, bus, store, passages, objects, storage, extractor, limits, now } = deps

  const updateFile = async (
    tx: Tx,
    { id, user_id }: StoredFile,
    changes: Parameters<FileStore["set"]>[2],
  ): Promise<void> => {
    if (!(await store.set(tx, id, { ...changes, updated_at: now() }))) return
    await bus.publish(tx, { topic: "files", user_id, id })
  }

  const markSearchable = async (
    tx: Tx,
    file: StoredFile,
    found: Pick<StoredFile, "passages" | "pages" | "format" | "text_length">,
    duplicate?: StoredFile,
  ): Promise<void> => {
    const more = await deps.hooks.onSearchable(tx, file.id, duplicate?.id ?? null)
    const status = more ? "processing" : "completed"
    await updateFile(tx, file, { ...found, ...noProcessingError, status })
  }

  /**
   * Stores a file's text if it fits into the owner's storage limit. A small file can contain much
   * text.
   */
  const writeText = async (
    { user_id, text_length }: StoredFile,
    length: number,
    write: () => Promise<void>,
  ): Promise<void> => {
    const addition = { owner: user_id, bytes: length - (text_length ?? 0) }
    try {
      await storage.writeWithinLimit([addition], write)
    } catch (error) {
      if (error instanceof Failure && error.code === "storage_limit")
        throw new ProcessingError("storage_limit", storageLimitMessage)
      throw error
    }
  }

  const copyFromDuplicate = (file: StoredFile, duplicate: StoredFile): Promise<void> =>
    writeText(file, duplicate.text_length ?? 0, () =>
      db.transactRelaxed(async (tx) => {
        await passages.copy(tx, duplicate.id, file.id)
        const { passages: count, pages, format, text_length } = duplicate
        await markSearchable(tx, file, { passages: count, pages, format, text_length }, duplicate)
      }),
    )

  /** Extracts with the external engine; fails with `reason` if the engine finds no text either. */
  const extractWithEngine = async (
    from: string,
    { filename, reason, signal }: ExtractionAttempt,
  ): Promise<ExtractedText> => {
    const { engine } = deps
    if (!engine || !codesForEngine.has(reason.code)) throw toProcessingError(reason)
    const path = objects.temporary()
    try {
      await engine.read(from, path, { filename, signal })
      const task = { path, filename: `text.${engine.fileExtension}`, contentType: "", limits }
      const outcome = await extractor.read(task, signal)
      if ("unreadable" in outcome) throw toProcessingError(reason)
      return { ...outcome.read, format: engine.name }
    } finally {
      await rm(path, { force: true })
    }
  }

  const extract = async (file: StoredFile, signal: AbortSignal): Promise<ExtractedText> => {
    const copy = await objects.localCopy(file.hash)
    if (!copy) throw new ProcessingError("missing", translatable("file_lost"))
    const { filename, content_type: contentType } = file
    try {
      const outcome = await extractor.read(
        { path: copy.path, filename, contentType, limits },
        signal,
      )
      if ("read" in outcome) return outcome.read
      return await extractWithEngine(copy.path, { filename, reason: outcome.unreadable, signal })
    } finally {
      await copy.release()
    }
  }

  const read = async (file: StoredFile, signal: AbortSignal): Promise<void> => {
    const read = await extract(file, signal)
    const text_length = read.text.length
    const { pages, format } = read
    await writeText(file, text_length, async () => {
      await passages.write(file.id, read)
      signal.throwIfAborted()
      await db.transactRelaxed((tx) =>
        markSearchable(tx, file, { passages: read.passages.length, pages, format, text_length }),
      )
    })
  }

  return {
    concurrency: deps.concurrency,
    attempts: 5,

    quickMs: deps.quickReadMs ?? defaultQuickReadMs,

    run: async ({ target, signal }: JobRun): Promise<undefined> => {
      const file = await store.byId(target)
      if (!file || file.status === "completed" || file.status === "stored") return
      await db.transactRelaxed((tx) =>
        updateFile(tx, file, { status: "processing", passages: null }),
      )
      const duplicate = await store.findDuplicate(file)
      if (duplicate) await copyFromDuplicate(file, duplicate)
      else await read(file, signal)
    },

    onGivenUp: async (target, error): Promise<void> => {
      await db.transactRelaxed(async (tx) => {
        const file = await store.byId(target, tx)
        if (!file) return
        const { code, message, reference } =
          error instanceof ProcessingError
            ? error
            : new ProcessingError("internal", `Processing failed: ${error.message.slice(0, 300)}`)
        await updateFile(tx, file, {
          status: "failed",
          error: message,
          error_code: code,
          error_reference: reference && JSON.stringify(reference),
        })
      })
    },
  }
}

import { type ExtractedText, readerVersion } from "@portico/extract"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { Failure } from "../errors.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { FileHooks } from "./file-hooks.ts"
import { type FileStore, isCopyable, noProcessingError, type StoredFile } from "./file-store.ts"
import { packWarnings } from "./file-warnings.ts"
import type { PassageStore } from "./passage-store.ts"
import { ProcessingError } from "./processing-error.ts"

export interface TextWriterDeps {
  db: Database
  bus: Bus
  store: FileStore
  passages: PassageStore
  storage: StorageQuota
  now: () => number
  hooks: Pick<FileHooks, "onSearchable">
}

/** What is stored with a text; equal for files with the same content. */
type Reading = Pick<
  StoredFile,
  "passages" | "pages" | "format" | "text_length" | "warnings" | "document_date" | "language"
>

/** Visible to everyone with access to the file, so it reveals nothing about the owner's storage. */
const storageLimitMessage =
  "This file's text doesn't fit into its owner's storage (MAX_STORAGE). Delete files or chats, then process it again."

/** Serializes what changes a file's text, or how it is read, and what stores embeddings of it. */
export const textLock = (fileId: string): string => `text:${fileId}`

/** Locks several texts, in order: two transactions could otherwise wait for each other. */
export const lockTexts = async (
  db: Database,
  tx: Tx,
  fileIds: readonly string[],
): Promise<void> => {
  for (const lock of fileIds.map(textLock).sort()) await db.acquireLock(tx, lock)
}

const readingOf = (read: ExtractedText): Reading => ({
  passages: read.passages.length,
  pages: read.pages,
  format: read.format,
  text_length: read.text.length,
  warnings: packWarnings(read.warnings),
  document_date: read.documentDate,
  language: read.language,
})

const storedReadingOf = (file: StoredFile): Reading => {
  const { passages, pages, format, text_length, warnings, document_date, language } = file
  return { passages, pages, format, text_length, warnings, document_date, language }
}

export interface TextWriter {
  /** Changes a file's row and tells those who wait for it. Does nothing if it was deleted. */
  update(tx: Tx, file: StoredFile, changes: Parameters<FileStore["set"]>[2]): Promise<void>
  /**
   * Stores what was read of a file and completes it.
   * @throws {ProcessingError} `storage_limit`
   */
  write(file: StoredFile, read: ExtractedText, signal: AbortSignal): Promise<void>
  /**
   * Same as `write`, with the text and embeddings of a file with the same content.
   * @returns false if that file was deleted or processed again since it was found
   */
  copy(file: StoredFile, duplicate: StoredFile): Promise<boolean>
}

/** Stores texts. A file's earlier text is searched until the new one replaces it. */
export const createTextWriter = (deps: TextWriterDeps): TextWriter => {
  const { db, bus, store, passages, storage, now } = deps

  const update: TextWriter["update"] = async (tx, { id, user_id }, changes) => {
    if (!(await store.set(tx, id, { ...changes, updated_at: now() }))) return
    await bus.publish(tx, { topic: "files", user_id, id })
  }

  /** @throws if the text was replaced or another encoding was chosen since the file was read */
  const requireSameText = async (
    tx: Tx,
    { id, text_revision, encoding }: StoredFile,
  ): Promise<void> => {
    const current = await store.byId(id, tx)
    if (current?.text_revision === text_revision && current.encoding === encoding) return
    throw new Error("The file was deleted or processed by another job")
  }

  /** @throws as `requireSameText` */
  const lock = async (tx: Tx, file: StoredFile): Promise<void> => {
    await lockTexts(db, tx, [file.id])
    await requireSameText(tx, file)
  }

  const complete = (tx: Tx, file: StoredFile, reading: Partial<Reading>): Promise<void> =>
    update(tx, file, {
      ...reading,
      ...noProcessingError,
      status: "completed",
      reader_version: readerVersion,
      attempted_reader_version: readerVersion,
    })

  const startEmbedding = async (
    tx: Tx,
    file: StoredFile,
    duplicate?: StoredFile,
  ): Promise<void> => {
    const isStarted = await deps.hooks.onSearchable(tx, file.id, duplicate?.id ?? null)
    await store.set(tx, file.id, { embedding: isStarted ? "pending" : null })
  }

  /** Completes a file whose text and passages are new. */
  const markSearchable = async (
    tx: Tx,
    file: StoredFile,
    reading: Reading,
    duplicate?: StoredFile,
  ): Promise<void> => {
    const text_revision = file.text_revision + 1
    await store.set(tx, file.id, { ...reading, text_revision })
    await startEmbedding(tx, file, duplicate)
    await complete(tx, file, {})
  }

  /** Checks the owner's storage limit, since a small file can contain much text. */
  const writeWithinLimit = async <T>(
    { user_id, text_length }: StoredFile,
    length: number,
    write: () => Promise<T>,
  ): Promise<T> => {
    const addition = { owner: user_id, bytes: length - (text_length ?? 0) }
    try {
      return await storage.writeWithinLimit([addition], write)
    } catch (error) {
      if (error instanceof Failure && error.code === "storage_limit")
        throw new ProcessingError("storage_limit", storageLimitMessage)
      throw error
    }
  }

  /** Keeps the passages and their embeddings; starts embeddings that are missing. */
  const keepText = (file: StoredFile, read: ExtractedText): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      await lock(tx, file)
      await passages.setSegment(tx, file.id, read.index)
      if (file.embedding !== null) await startEmbedding(tx, file)
      await complete(tx, file, readingOf(read))
    })

  /** If two processes read a file, the one that began to write last goes on. */
  const writeNew = async (
    file: StoredFile,
    read: ExtractedText,
    signal: AbortSignal,
  ): Promise<void> => {
    const begun = { ...file, text_revision: file.text_revision + 1 }
    await db.transactRelaxed(async (tx) => {
      await lock(tx, file)
      await store.set(tx, file.id, { text_revision: begun.text_revision })
    })
    // In several transactions: nothing is visible before `passages` is set.
    await passages.write(file.id, read, (tx) => lock(tx, begun))
    signal.throwIfAborted()
    await db.transactRelaxed(async (tx) => {
      await lock(tx, begun)
      await markSearchable(tx, begun, readingOf(read))
    })
  }

  const replace = (file: StoredFile, read: ExtractedText): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      await lock(tx, file)
      await passages.replace(tx, file.id, read)
      await markSearchable(tx, file, readingOf(read))
    })

  const write: TextWriter["write"] = async (file, read, signal) => {
    if (file.passages !== null && (await passages.isSame(file.id, read)))
      return keepText(file, read)
    signal.throwIfAborted()
    // A failed file may be reread while its owner processes it again, so its text is written at once.
    const isNew = file.passages === null && file.status !== "failed"
    await writeWithinLimit(file, read.text.length, () =>
      isNew ? writeNew(file, read, signal) : replace(file, read),
    )
  }

  const copy: TextWriter["copy"] = (file, duplicate) =>
    writeWithinLimit(file, duplicate.text_length ?? 0, () =>
      db.transactRelaxed(async (tx) => {
        await lockTexts(db, tx, [file.id, duplicate.id])
        await requireSameText(tx, file)
        const source = await store.byId(duplicate.id, tx)
        const isUnchanged = source?.text_revision === duplicate.text_revision
        if (!isUnchanged || !isCopyable(source, file)) return false
        await passages.copy(tx, source.id, file.id)
        await markSearchable(tx, file, storedReadingOf(source), source)
        return true
      }),
    )

  return { update, write, copy }
}

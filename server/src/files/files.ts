import { readerVersion, textEncodings } from "@portico/extract"
import type { Selectable } from "kysely"
import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import { createSemaphore } from "../concurrency/semaphore.ts"
import type { Tx } from "../db/database.ts"
import type { FileRow } from "../db/file-tables.ts"
import { foldCase } from "../db/fold-case.ts"
import type { RowLimits } from "../db/row-limits.ts"
import { fail } from "../errors.ts"
import { isAdmin } from "../grants/access.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { withOwnerName, withOwnerNames } from "../users/owner-names.ts"
import { type CollectionUpload, toCollectionUpload } from "./collection-upload.ts"
import {
  createFileAccess,
  type FileAccess,
  type FileAccessDeps,
  failFileNotFound,
} from "./file-access.ts"
import type { FileHooks } from "./file-hooks.ts"
import { type FileSummary, noProcessingError, type StoredFile, toFileRecord } from "./file-store.ts"
import { packWarnings } from "./file-warnings.ts"
import type { FileUpload } from "./multipart-upload.ts"
import type { ObjectStore, ReceivedObject } from "./object-store.ts"
import type { PassageStore } from "./passage-store.ts"
import { createReadingJob } from "./reading-jobs.ts"
import type {
  FileListQuery,
  FileRecord,
  FileText,
  FileWithOwner,
  ProcessRequest,
  TextQuery,
} from "./schema.ts"
import { textLock } from "./text-writer.ts"
import { waitForFiles } from "./wait-for-files.ts"

interface Deps extends FileAccessDeps {
  hooks: FileHooks
  bus: Bus
  audit: Audit
  passages: PassageStore
  objects: ObjectStore
  queue: JobQueue
  rowLimits: RowLimits
  newId: () => string
  now: () => number
}

interface NewFile {
  upload: FileUpload
  /** The owner's user id. */
  owner: string
  process: boolean
  /** The uploader; set if the metadata may name a collection. */
  caller?: Caller
  id?: string
  /** Runs in the transaction that inserts the file. */
  inTransaction?: (tx: Tx) => Promise<void>
}

interface CommitOptions extends Pick<NewFile, "process"> {
  received: ReceivedObject
  collection: CollectionUpload | null
  inTransaction: NewFile["inTransaction"]
}

const requireKnownEncoding = (encoding: ProcessRequest["encoding"]): void => {
  if (encoding == null || textEncodings.some((name) => name === encoding)) return
  fail("bad_request", `Unknown encoding "${encoding}". Use ${textEncodings.join(", ")} or null.`)
}

interface ReprocessRequest extends ProcessRequest {
  id: string
}

const isProcessed = ({ status }: StoredFile): boolean =>
  status !== "pending" && status !== "processing"

/** Users' files: metadata, content, and processing state. */
export interface Files extends FileAccess {
  isProcessed(file: StoredFile): boolean
  byIds(ids: readonly string[]): Promise<StoredFile[]>
  /**
   * Waits until `done` holds for the file, the file is deleted (undefined), or the time is up;
   * returns its last state.
   */
  waitForFile(
    id: string,
    done: (file: StoredFile) => boolean,
    wait: { ms: number; signal: AbortSignal },
  ): Promise<StoredFile | undefined>
  /** Same as above for many files, with fewer columns. */
  waitForFiles(
    ids: readonly string[],
    done: (file: FileSummary) => boolean,
    wait: { ms: number; signal: AbortSignal },
  ): Promise<Map<string, FileSummary>>
  list(caller: Caller, query: FileListQuery): Promise<Page<FileWithOwner>>
  withOwner(file: FileRecord): Promise<FileWithOwner>
  /**
   * Creates a file from an upload and queues it for processing if `process` is set. If the target
   * collection already has a file with the same content, returns that file.
   * @throws {Failure} `not_found` or `forbidden` for the collection; nothing is stored then
   */
  add(actor: Actor, file: NewFile): Promise<FileRecord>
  /**
   * Processes the file again, whatever its current status. Its text is searched meanwhile.
   * @throws {Failure} `bad_request` if the encoding is unknown
   */
  reprocess(actor: Actor, caller: Caller, request: ReprocessRequest): Promise<FileRecord>
  text(caller: Caller, id: string, range: TextQuery): Promise<FileText>
  remove(actor: Actor, caller: Caller, id: string): Promise<void>
  /** Removes objects that no file references, such as those left by a crash. */
  sweep(): Promise<void>
}

export const createFiles = (deps: Deps): Files => {
  const { db, bus, audit, store, passages, objects, queue, hooks, rowLimits, newId, now } = deps
  const access = createFileAccess(deps)

  /** Limits concurrent commits, so that bulk uploads do not slow down other requests. */
  const commits = createSemaphore({ maxConcurrent: objects.maxConcurrentCommits })

  const target = (id: string) => ({ type: "file", id })

  const insert = async (
    tx: Tx,
    actor: Actor,
    { row, process }: { row: Selectable<FileRow>; process: boolean },
  ): Promise<void> => {
    await rowLimits.lockAndCheck(tx, "files", { owner: row.user_id })
    await store.insert(tx, row)
    if (process) await queue.add(tx, [createReadingJob("read", row)])
    const after = { filename: row.filename, size: row.size, hash: row.hash }
    await audit.record(tx, { actor, action: "file.uploaded", target: target(row.id), after })
    await bus.publish(tx, { topic: "files", user_id: row.user_id, id: row.id })
  }

  /**
   * Commits the content to the object store and inserts the file's row.
   * @returns the file's id, or the id of an existing file with the same content in the target
   * collection
   */
  const commitFile = (
    actor: Actor,
    row: Selectable<FileRow>,
    { received, process, inTransaction, collection }: CommitOptions,
  ): Promise<string> =>
    db.runExclusive(`object:${row.hash}`, async () => {
      await received.commit()
      return db.transact(async (tx) => {
        await inTransaction?.(tx)
        const insertRow = () => insert(tx, actor, { row, process })
        if (collection) {
          const file = { id: row.id, hash: row.hash, store: insertRow }
          return hooks.collectionUploads.addFile(tx, collection, file)
        }
        await insertRow()
        return row.id
      })
    })

  /**
   * Removes content that no file references. Holds the object's lock, so that no concurrent upload
   * starts using it.
   */
  const removeUnusedBytes = (hash: string): Promise<void> =>
    db.runExclusive(`object:${hash}`, async () => {
      if (!(await store.isHashUsed(hash))) await objects.remove(hash)
    })

  return {
    ...access,
    isProcessed,
    byIds: store.byIds,

    waitForFile: async (id, done, wait) =>
      (await waitForFiles(bus, [id], { read: store.byIds, isDone: done, ...wait })).get(id),

    waitForFiles: (ids, done, wait) =>
      waitForFiles(bus, ids, { read: store.summaries, isDone: done, ...wait }),

    list: async (caller, query) => {
      const owner = isAdmin(caller) ? null : caller.user.id
      const { items, total } = await store.list(owner, query)
      return { items: await withOwnerNames(db.read, items), total }
    },

    withOwner: (file) => withOwnerName(db.read, file),

    add: async (actor, { upload, owner, process, id = newId(), caller, inTransaction }) => {
      const { received, filename, content_type, metadata } = upload
      const row = {
        id,
        user_id: owner,
        hash: received.hash,
        filename,
        filename_key: foldCase(filename),
        content_type: content_type.toLowerCase().slice(0, 200),
        size: received.size,
        metadata: JSON.stringify(metadata),
        status: process ? "pending" : "stored",
        ...noProcessingError,
        text_length: null,
        pages: null,
        passages: null,
        format: null,
        document_date: null,
        language: null,
        warnings: packWarnings([]),
        encoding: null,
        reader_version: readerVersion,
        attempted_reader_version: readerVersion,
        text_revision: 0,
        embedding: null,
        created_at: now(),
        updated_at: now(),
      }
      try {
        const collection = caller ? toCollectionUpload(actor, caller, metadata) : null
        if (collection) await hooks.collectionUploads.check(collection)
        await received.prepare()
        const placement: CommitOptions = { received, process, collection, inTransaction }
        const keptId = await commits.run({ key: owner }, () => commitFile(actor, row, placement))
        if (keptId !== id) return toFileRecord((await store.byId(keptId)) ?? failFileNotFound())
      } finally {
        await received.discard()
      }
      return toFileRecord({ ...row, embedded: 0 })
    },

    reprocess: async (actor, caller, { id, encoding }) => {
      const file = await access.getOwned(caller, id)
      requireKnownEncoding(encoding)
      const chosen = encoding === undefined ? {} : { encoding }
      await db.transactLocked([textLock(id)], async (tx) => {
        await queue.cancel(tx, "reread", id)
        const fresh = { ...noProcessingError, ...chosen, status: "pending", updated_at: now() }
        if (!(await store.set(tx, id, fresh))) failFileNotFound()
        await queue.add(tx, [createReadingJob("read", file)])
        const action = "file.processed_again"
        await audit.record(tx, { actor, action, target: target(id), after: chosen })
        await bus.publish(tx, { topic: "files", user_id: file.user_id, id })
      })
      return toFileRecord((await store.byId(id)) ?? failFileNotFound())
    },

    text: async (caller, id, { start, end }) => {
      await access.getReadable(caller, id)
      const text = (await store.text(id)) ?? ""
      // The range may split a surrogate pair.
      return { content: text.slice(start, end).toWellFormed(), start, length: text.length }
    },

    remove: async (actor, caller, id) => {
      const file = await access.getOwned(caller, id)
      await db.essential.transactLocked([textLock(id)], async (tx) => {
        for (const kind of ["read", "reread"]) await queue.cancel(tx, kind, id)
        await passages.clear(tx, id)
        if (!(await store.remove(tx, id))) failFileNotFound()
        const before = { filename: file.filename }
        await audit.record(tx, { actor, action: "file.deleted", target: target(id), before })
        await bus.publish(tx, { topic: "files", user_id: file.user_id, id })
      })
      await removeUnusedBytes(file.hash)
    },

    sweep: async () => {
      for await (const hash of objects.list())
        if (!(await store.isHashUsed(hash))) await removeUnusedBytes(hash)
    },
  }
}

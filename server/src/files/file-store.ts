import { readerVersion } from "@portico/extract"
import type { ExpressionBuilder, Selectable } from "kysely"
import { orderByIds, readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { FileRow } from "../db/file-tables.ts"
import { readPage } from "../db/paged-queries.ts"
import type { Tables } from "../db/tables.ts"
import { columnContains } from "../db/text-matching.ts"
import { MessageReference } from "../http/message-reference.ts"
import type { Page } from "../http/pagination.ts"
import { warningsOf } from "./file-warnings.ts"
import {
  EmbeddingState,
  type FileListQuery,
  type FileRecord,
  FileStatus,
  ProcessingErrorCode,
} from "./schema.ts"

export type StoredFile = Selectable<FileRow> & { embedded: number | null }

/** Columns that a search needs; the list may be very long. */
export const fileSummaryColumns = [
  "files.id",
  "files.filename",
  "files.status",
  "files.passages",
  "files.text_length",
  "files.error",
  "files.embedding",
  "files.hash",
  "files.text_revision",
  "files.user_id",
  "files.document_date",
  "files.language",
  "files.created_at",
] as const
export type FileSummary = Pick<
  StoredFile,
  | "id"
  | "filename"
  | "status"
  | "passages"
  | "text_length"
  | "error"
  | "embedding"
  | "hash"
  | "text_revision"
  | "user_id"
  | "document_date"
  | "language"
  | "created_at"
>

/** Number of a file's passages that have a vector. */
export const embeddedCount = (eb: ExpressionBuilder<Tables, "files">) =>
  eb
    .selectFrom("vector_batches")
    .innerJoin("vector_spaces", "vector_spaces.id", "vector_batches.space_id")
    .whereRef("vector_batches.file_id", "=", "files.id")
    .where("vector_spaces.state", "=", "active")
    .select(({ fn }) => fn.sum<number>("vector_batches.count").as("sum"))
    .as("embedded")

/** Of a file whose processing did not fail, or has begun again. */
export const noProcessingError = { error: null, error_code: null, error_reference: null } as const

/** What pages translate a file's error by. */
export const errorReferenceOf = ({
  error_reference,
}: Pick<StoredFile, "error_reference">): MessageReference | null =>
  error_reference === null ? null : MessageReference.parse(JSON.parse(error_reference))

export const toFileRecord = (row: StoredFile): FileRecord => ({
  id: row.id,
  user_id: row.user_id,
  filename: row.filename,
  hash: row.hash,
  meta: {
    name: row.filename,
    content_type: row.content_type,
    size: row.size,
    format: row.format,
    document_date: row.document_date,
    language: row.language,
    data: JSON.parse(row.metadata),
  },
  data: {
    status: FileStatus.parse(row.status),
    error: row.error,
    error_code: ProcessingErrorCode.nullable().parse(row.error_code),
    error_reference: errorReferenceOf(row),
    warnings: warningsOf(row),
    encoding: row.encoding,
    embedding: EmbeddingState.parse(row.embedding),
    progress: { pages: row.pages, passages: row.passages, embedded: Number(row.embedded ?? 0) },
  },
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const selectFiles = (reader: Reader) => reader.selectFrom("files").selectAll().select(embeddedCount)

const readByIds = (db: Database, ids: readonly string[]): Promise<StoredFile[]> =>
  readInChunks(ids, (chunk) => selectFiles(db.read).where("id", "in", chunk).execute())

const extensionOf = (filename: string): string => /\.[^.]*$/.exec(filename)?.[0].toLowerCase() ?? ""

/** Whether this version has read one file as it would read another with the same content. */
export const isCopyable = (from: StoredFile, to: StoredFile): boolean =>
  from.status === "completed" &&
  from.reader_version === readerVersion &&
  from.encoding === to.encoding &&
  from.content_type === to.content_type &&
  extensionOf(from.filename) === extensionOf(to.filename)

/** Metadata of files, and the texts extracted from them. */
export interface FileStore {
  byId(id: string, reader?: Reader): Promise<StoredFile | undefined>
  byIds(ids: readonly string[]): Promise<StoredFile[]>
  summaries(ids: readonly string[]): Promise<FileSummary[]>
  /** Owners of the existing files. */
  owners(ids: readonly string[], reader?: Reader): Promise<Pick<StoredFile, "id" | "user_id">[]>
  /** @param owner null lists the files of all users */
  list(owner: string | null, query: FileListQuery): Promise<Page<FileRecord>>
  insert(tx: Tx, row: Selectable<FileRow>): Promise<void>
  /** @returns false if the file was deleted */
  set(tx: Tx, id: string, changes: Partial<Selectable<FileRow>>): Promise<boolean>
  remove(tx: Tx, id: string): Promise<boolean>
  /** Whether any file references this content. */
  isHashUsed(hash: string): Promise<boolean>
  /** Another file whose text can be copied instead of reading this file. */
  findDuplicate(file: StoredFile): Promise<StoredFile | undefined>
  /** Searchable files, newest first, with at most `max` passages in total. */
  searchable(max: number): Promise<{ id: string; filename: string; passages: number }[]>
  text(id: string): Promise<string | undefined>
}

/**
 * Only a single user's files in order of time are indexed; other lists scan many rows, so they run
 * in the background reader.
 */
const readerForList = (db: Database, owner: string | null, query: FileListQuery): Reader => {
  const isIndexed = owner !== null && query.order_by === "created_at"
  return isIndexed && !query.status && !query.query ? db.read : db.backgroundReader
}

export const createFileStore = (db: Database): FileStore => ({
  byId: (id, reader = db.read) => selectFiles(reader).where("id", "=", id).executeTakeFirst(),

  byIds: (ids) => readByIds(db, ids),

  summaries: (ids) =>
    readInChunks(ids, (chunk) =>
      db.read.selectFrom("files").select(fileSummaryColumns).where("id", "in", chunk).execute(),
    ),

  owners: (ids, reader = db.read) =>
    readInChunks(ids, (chunk) =>
      reader.selectFrom("files").select(["id", "user_id"]).where("id", "in", chunk).execute(),
    ),

  list: async (owner, query) => {
    let matching = readerForList(db, owner, query).selectFrom("files")
    if (owner !== null) matching = matching.where("user_id", "=", owner)
    if (query.status) matching = matching.where("status", "in", query.status)
    if (query.query) matching = matching.where(columnContains("filename_key", query.query))
    const sorted = matching
      .select("id")
      .orderBy(query.order_by === "filename" ? "filename_key" : query.order_by, query.direction)
      .orderBy("id", query.direction)
    const { items, total } = await readPage(sorted, query)
    const ids = items.map(({ id }) => id)
    const rows = await readByIds(db, ids)
    return { items: orderByIds(ids, rows).map(toFileRecord), total }
  },

  insert: async (tx, row) => {
    await tx.insertInto("files").values(row).execute()
  },

  set: async (tx, id, changes) => {
    const updated = tx.updateTable("files").set(changes).where("id", "=", id).returning("id")
    return (await updated.executeTakeFirst()) !== undefined
  },

  remove: async (tx, id) => {
    const deleted = await tx.deleteFrom("files").where("id", "=", id).returning("id").execute()
    return deleted.length > 0
  },

  isHashUsed: async (hash) => {
    const files = db.read.selectFrom("files").select("id").where("hash", "=", hash).limit(1)
    return (await files.executeTakeFirst()) !== undefined
  },

  findDuplicate: (file) =>
    selectFiles(db.read)
      .where("hash", "=", file.hash)
      .where("id", "!=", file.id)
      .where("status", "=", "completed")
      .where("reader_version", "=", readerVersion)
      .where("encoding", file.encoding === null ? "is" : "=", file.encoding)
      .orderBy("created_at")
      .limit(50)
      .execute()
      .then((rows) => rows.find((row) => isCopyable(row, file))),

  searchable: async (max) => {
    const rows = await db.read
      .selectFrom("files")
      .select(["id", "filename", "passages"])
      .where("passages", "is not", null)
      .orderBy("updated_at", "desc")
      .limit(max)
      .execute()
    let remaining = max
    return rows
      .map((row) => ({ ...row, passages: row.passages ?? 0 }))
      .filter(({ passages }) => {
        remaining -= passages
        return remaining >= 0
      })
  },

  text: async (id) => {
    const texts = db.read.selectFrom("file_texts").select("text").where("file_id", "=", id)
    return (await texts.executeTakeFirst())?.text
  },
})
